"""The smallest Chainlit app behind the guard. It tells lengths, and says or sends what it is asked to."""

import chainlit as cl

from settings import load_settings
from ui.guard import install

install(data_folder=load_settings().thinkglass_data, allowed_origins=["https://chat.example.org"])


@cl.on_message
async def on_message(message: cl.Message) -> None:
    if message.content.startswith("file "):
        file = cl.File(name="sent", content=b"<script>alert(1)</script>", mime=message.content.removeprefix("file "))
        await cl.Message("Here it is.", elements=[file]).send()
        return
    if message.content.startswith("say "):
        await cl.Message(message.content.removeprefix("say ")).send()
        return
    await cl.Message(f"You sent {len(message.content)} characters.").send()
