"""What is said to a language model, in the form that endpoints compatible with OpenAI's take."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

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
    content: str = Field(min_length=1)  # beside a use of tools as well: what is empty there, some endpoints and libraries refuse or change
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""

    def wire(self) -> dict[str, Any]:
        """The message as an endpoint takes it, with the same keys in the same order each time."""
        said: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.tool_calls:
            said["tool_calls"] = [call.model_dump(mode="json") for call in self.tool_calls]
        if self.tool_call_id:
            said["tool_call_id"] = self.tool_call_id
        return said
