"""The model planner: one agent makes the question whole, one chooses the tables, one makes the plan; each is a typed call that is checked and repaired."""
