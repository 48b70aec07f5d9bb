"""Chinese sentences for errors, by the name of their class. The English ones stand with the errors themselves."""

from collections.abc import Mapping

_CONNECT_ZH = "也可以连接自己的模型：在 .env 文件中填写地址和密钥（写法见 .env.example），或在这台电脑上启动 Ollama。"

CHINESE: Mapping[str, str] = {
    "LLMError": "{host} 没能回答。请再试一次。",
    "KeyRefused": "{host} 不接受这个密钥。请检查密钥，并确认它属于这个地址。",
    "KeyMissing": "{host} 需要密钥，但没有设置。请设置密钥后重新启动。",
    "NoBalance": "{host} 的账户余额不足。请充值，或换一个密钥。",
    "RateLimited": "{host} 的请求太多了。请等 {seconds} 秒后再试。",
    "ServerBusy": "{host} 现在太忙。请等 {seconds} 秒后再试。",
    "ServerFailed": "{host} 自身出了故障。请再试一次；如果一直如此，请查看它的状态页。",
    "ModelUnknown": "{host} 没有名为 {model} 的模型。请检查设置中的模型名称。",
    "ModelRetired": "{model} 已停用。请改用 {successor}。",
    "ModelNotNamed": (
        "没有设置 LLM_MODEL，在 {address} 也找不到模型列表。请检查地址（多数以 /v1 结尾），"
        "或在 LLM_MODEL 中填写模型名称，然后重新启动。"
    ),
    "WrongAddress": "{address} 没有可对话的模型。请检查地址，多数地址以 /v1 结尾。",
    "RequestRefused": "{host} 拒绝了请求：{reason}。请新建对话，或修改它提到的设置。",
    "ContextTooLong": "对话超过了 {model} 能读的 {limit} 个词元。请新建对话，或缩小问题。",
    "RequestTooLarge": "消息对 {host} 来说太大了。请减少文字，或发送更小的文件。",
    "Unreachable": "无法连接 {address}。请检查地址和网络，并确认服务正在运行。",
    "StreamCut": "回答还没完成，与 {host} 的连接就断开了。请再问一次以继续。",
    "UnreadableReply": "{host} 发来的内容不是有效的回复。请再试一次；如果一直如此，请检查地址和模型。",
    "Stalled": "{host} 已有 {seconds} 秒没有任何回应，因此放弃了这次回答。请再试一次。",
    "Filtered": "{host} 的内容过滤器拦下了回答或其余下的部分。请换个说法再问。",
    "OutOfTokens": "回答达到词元上限而被截断。请让它继续，或调高上限。",
    "ThinkingOutOfTokens": "模型把词元都用在了思考上，没有写出回答。请调高上限，或减少思考。",
    "NoModel": (
        "还没有连接模型。请在 .env 文件中填写模型的地址和密钥（写法见 .env.example）并重新启动；"
        "或在这台电脑上启动 Ollama 后再问一次；或设置 LOCAL_MODEL=auto 使用内置模型。"
    ),
    "NoNativeTools": "{model} 在这里不能自行调用工具。请选择 ReAct：它在任何地方都能用。",
    "WeightsUnavailable": "内置模型 {name} 没能下载。请检查网络后再问一次，已下载的部分会保留。" + _CONNECT_ZH,
    "WeightsDamaged": "下载的内置模型 {name} 与原件不符，已经丢弃。请再问一次以重新下载。" + _CONNECT_ZH,
    "NoSpace": (
        "放不下内置模型 {name}：{folder} 需要 {needed} 的可用空间。请腾出空间后再问一次，"
        "或用 THINKGLASS_CACHE 指定别的文件夹，或设置 LOCAL_MODEL=small 使用更小的模型。" + _CONNECT_ZH
    ),
    "EngineMissing": (
        "这台电脑无法加载内置模型的引擎。在 Debian 和 Ubuntu 上可能缺少 libgomp1，安装后再问一次。" + _CONNECT_ZH
    ),
    "EngineFailed": (
        "内置模型意外停止了。再问一次会重新启动它；如果反复出现，可能是内存不足，请试试 LOCAL_MODEL=small。"
        + _CONNECT_ZH
    ),
    "ModelFileMissing": "LOCAL_MODEL_PATH 指向 {path}，但那不是可读的 GGUF 文件。请更正或去掉它，然后重新启动。",
}
