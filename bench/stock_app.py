"""The usual way, for comparison: OpenAILike, LlamaIndex's own ReActAgent, one emit per token. Run by `bench.page`."""

import os

import chainlit as cl
from llama_index.core.agent.workflow import AgentStream, AgentWorkflow, ReActAgent
from llama_index.llms.openai_like import OpenAILike


@cl.on_chat_start
async def on_chat_start() -> None:
    await cl.Step(name="stock", type="undefined").send()  # the socket client waits for it


@cl.on_message
async def on_message(message: cl.Message) -> None:
    llm = OpenAILike(
        model="deepseek-flash",
        api_base=os.environ["LLM_API_BASE"],
        api_key="x",
        is_chat_model=True,
        context_window=100_000,
    )
    run = AgentWorkflow(agents=[ReActAgent(llm=llm, tools=[])]).run(user_msg=message.content)
    answer = cl.Message(content="")
    async with cl.Step(name="Thinking", type="llm") as step:
        async for event in run.stream_events():
            if isinstance(event, AgentStream):
                await step.stream_token(event.thinking_delta or "")
    await answer.stream_token(str(await run))
    await answer.send()
