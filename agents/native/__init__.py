"""An agent that calls tools by the endpoint's own tool calling, with the same events as the ReAct agent."""

from agents.native.agent import ReasoningFunctionAgent
from agents.native.no_tools import NoNativeTools

__all__ = ["NoNativeTools", "ReasoningFunctionAgent"]
