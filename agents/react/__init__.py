"""A ReAct agent that reads what models really write, streams only what people should see, and ends well."""

from agents.react.agent import ReasoningReActAgent

__all__ = ["ReasoningReActAgent"]
