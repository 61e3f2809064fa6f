"""What is said to a language model, in the form that endpoints compatible with OpenAI's take."""

from __future__ import annotations

from typing import Any, Literal

from engine.types import Frozen


class Function(Frozen):
    """A tool's name and its arguments, which are JSON as text."""

    name: str
    arguments: str


class ToolCall(Frozen):
    """One use of a tool, told from others by its id."""

    id: str
    type: Literal["function"] = "function"
    function: Function


class Message(Frozen):
    """One message: instructions, a question, a use of tools, or what came of one."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""

    def wire(self) -> dict[str, Any]:
        """The message as an endpoint takes it: the same keys in the same order each time, and none that is empty but `content`."""
        said = self.model_dump(mode="json", exclude_defaults=True)
        if self.tool_calls:  # whose `type` is a default and is wanted all the same
            said["tool_calls"] = [call.model_dump(mode="json") for call in self.tool_calls]
        return {"role": said.pop("role"), "content": self.content, **{name: said[name] for name in sorted(said) if name != "content"}}
