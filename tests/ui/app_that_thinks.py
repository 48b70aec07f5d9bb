"""A Chainlit app whose one step thinks as many lines as it is asked for, five at a time, and then answers."""

import asyncio

import chainlit as cl
from chainlit.utils import utc_now

from settings import load_settings
from tests.ui.own_files import use_own_files
from ui.guard import install

use_own_files()

install(data_folder=load_settings().thinkglass_data, allowed_origins=[])


@cl.on_message
async def on_message(message: cl.Message) -> None:
    run = cl.context.current_step
    step = cl.Step(name="Thinking…", type="llm", icon="brain", parent_id=run.id if run else None)
    step.start = utc_now()
    step.default_open = step.auto_collapse = True
    for first in range(0, int(message.content), 5):
        await step.stream_token("".join(f"Line {number}.\n\n" for number in range(first, first + 5)))
        await asyncio.sleep(0.1)
    step.name, step.end = "Thought for 4 s", utc_now()
    await step.update()
    await cl.Message("Answered.").send()
