"""What hostile code uses up, how it dies, and how it meddles with the runner. Pure data: see `hostile_code`."""

from tests.security.hostile_code import Hostile

APPETITE = [
    Hostile(name="a loop", code="while True: pass", ends_with="took longer"),
    Hostile(name="a loop in native code", code="7 ** (10 ** 9)", ends_with="took longer"),
    Hostile(
        name="a pattern without end", code="import re; re.match(r'(a+)+$', 'a' * 64 + 'b')", ends_with="took longer"
    ),
    Hostile(name="sleep", code="time.sleep(99)", ends_with="took longer"),
    Hostile(
        name="a loop that takes no interruption",
        code="""
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True:
    try:
        while True: pass
    except BaseException: pass
""",
        ends_with="took longer",
    ),
    Hostile(
        name="all processors from many threads",
        code="""
import hashlib
def burn():
    while True: hashlib.sha256(b"x" * (1 << 22)).digest()
for _ in range(8): threading.Thread(target=burn, daemon=True).start()
burn()
""",
        ends_with="took longer",
    ),
    Hostile(name="memory, all at once", code="x = bytearray(10 ** 10)", ends_with="too much memory"),
    Hostile(
        name="memory, bit by bit",
        code="""
blocks = []
while True:
    blocks.append(bytearray(1 << 26))
""",
        ends_with="too much memory",
    ),
    Hostile(
        name="memory of numpy",
        code="import numpy; numpy.ones((200_000, 200_000))",
        ends_with="too much memory",
    ),
    Hostile(
        name="a packed bomb",
        code="""
import zlib
packer = zlib.compressobj(1, wbits=-15)
part = packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
zlib.decompressobj(wbits=-15).decompress(part * 200)
""",
        ends_with="too much memory",
    ),
    Hostile(
        name="memory that limits of memory do not see",
        code="""
took = 0
for folder in ("/dev/shm", "/dev", "/", "/run", "/var/tmp", "/home", "/opt"):
    try:
        for number in range(12):
            with open(f"{folder}/fill{number}", "wb") as file: file.write(bytes(32 << 20))
            took += 32
    except OSError: pass
    for number in range(12):
        try: os.unlink(f"{folder}/fill{number}")
        except OSError: pass
print("ESCAPED" if took > 300 else "bounded")
""",
    ),
    Hostile(
        name="the folder for temporary files",
        code="""
import tempfile
for number in range(40):
    with tempfile.NamedTemporaryFile(delete=False) as file: file.write(bytes(16 << 20))
    time.sleep(0.01)
print("ESCAPED")
""",
        ends_with="",
    ),
    Hostile(
        name="threads",
        code="""
count = 0
try:
    while count < 1000:
        threading.Thread(target=time.sleep, args=(0.5,), daemon=True).start(); count += 1
except RuntimeError: pass
print("ESCAPED" if count > 200 else "bounded", count)
time.sleep(0.6)
""",
        is_told="bounded",
    ),
    Hostile(
        name="open files",
        code="""
opened = []
try:
    while len(opened) < 2000: opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError: pass
print("ESCAPED" if len(opened) > 100 else "bounded")
for descriptor in opened: os.close(descriptor)
""",
        is_told="bounded",
    ),
    Hostile(
        name="one huge file",
        code="""
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def fill():
    with open("huge.bin", "wb") as file:
        for _ in range(200): file.write(bytes(1 << 20))
def stretch():
    with open("sparse.bin", "wb") as file: file.truncate(1 << 40)
trial("huge", fill)
trial("sparse", stretch)
os.unlink("huge.bin")
""",
        tries=2,
    ),
    Hostile(
        name="many large files",
        code="""
for number in range(400):
    with open(f"large{number}.bin", "wb") as file: file.write(bytes(16 << 20))
""",
        ends_with="folder may hold",
    ),
    Hostile(
        name="files without a name, and no longer open",
        code="""
for _ in range(400):
    file = os.open("nameless.bin", os.O_RDWR | os.O_CREAT)
    os.unlink("nameless.bin")
    os.write(file, bytes(16 << 20))
    libc.mmap(None, ctypes.c_long(4096), 1, 1, file, ctypes.c_long(0))
    os.close(file)
    time.sleep(0.01)
print("ESCAPED")
""",
        ends_with="to files",
    ),
    Hostile(
        name="many small files",
        code="""
for number in range(100_000): open(f"small{number}", "w").close()
""",
        ends_with="folder may hold",
    ),
    Hostile(
        name="folders in folders",
        code="""
for _ in range(100_000):
    os.mkdir("deep"); os.chdir("deep")
""",
        ends_with="The code was stopped, because",
    ),
    Hostile(name="print without end", code="while True: print('x' * 10_000)", ends_with="printed far too much"),
    Hostile(
        name="print without end or line breaks, from native code",
        code="""
text = b"x" * 65536
while True: libc.write(1, text, len(text))
""",
        ends_with="printed far too much",
    ),
    Hostile(name="a huge value", code="'y' * (100 << 20)", is_told="yyy"),
    Hostile(name="a huge error", code="raise ValueError('z' * (10 << 20))", ends_with="ValueError: zzz"),
    Hostile(name="recursion", code="def f(): f()\nf()", ends_with="RecursionError"),
    Hostile(
        name="a value that can't be shown",
        code="""
class Loop:
    def __repr__(self):
        while True: pass
Loop()
""",
        ends_with="took longer",
    ),
]

DEATH = [
    Hostile(name="a crash", code="ctypes.string_at(0)", ends_with="crashed"),
    Hostile(name="an abort", code="os.abort()", ends_with="anew"),
    Hostile(name="a jump into nowhere", code="ctypes.CFUNCTYPE(None)(1)()", ends_with="crashed"),
    Hostile(name="os._exit", code="os._exit(77)", ends_with="ended Python itself"),
    Hostile(name="native exit", code="libc.exit(0)", ends_with="ended Python itself"),
    Hostile(
        name="a call of another machine",
        code="""
import mmap
if ARM: os._exit(0)
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3]))
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
ctypes.CFUNCTYPE(ctypes.c_int)(address)()
""",
        ends_with="anew",
    ),
    Hostile(name="sys.exit", code="sys.exit(3)", ends_with="SystemExit"),
    Hostile(
        name="a signal to itself", code="os.kill(os.getpid(), signal.SIGINT); time.sleep(9)", ends_with="Interrupt"
    ),
]

PROTOCOL = [
    Hostile(
        name="reports written where reports go",
        code="""
import json, struct
fake = json.dumps({"token": "x", "value": "forged", "pictures": [{"png": "/etc/passwd", "alt": ""}]}).encode()
for descriptor in range(3, 1000):
    try: os.write(descriptor, struct.pack("=I", len(fake)) + fake)
    except OSError: pass
""",
        ends_with="anew",
    ),
    Hostile(
        name="a report that never ends",
        code="""
for descriptor in range(64, 1000):
    try: os.write(descriptor, b"\\xff\\xff\\xff\\x7f" + b"x" * 1000)
    except OSError: pass
""",
        ends_with="anew",
    ),
    Hostile(
        name="closed descriptors",
        code="os.closerange(0, 1024)",
        ends_with="anew",
    ),
    Hostile(
        name="a report in the runner's own name",
        code="""
import gc
channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
channel.send({"token": "guess", "value": "forged"})
""",
        ends_with="anew",
    ),
    Hostile(
        name="a report in the runner's own name, nested beyond measure",
        code="""
import gc
channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
deep = b"[" * 1_000_000
os.write(channel._reports, len(deep).to_bytes(4, "little"))
while deep: deep = deep[os.write(channel._reports, deep):]
""",
        ends_with="anew",
    ),
    Hostile(
        name="what the next call would read",
        code="""
trial("stdin", lambda: sys.stdin.read(1) or 1 / 0)
trial("input", lambda: input())
""",
        tries=2,
    ),
    Hostile(
        name="no way to print left",
        code="sys.stdout.close(); sys.stderr = None",
    ),
    Hostile(
        name="builtins turned over",
        code="""
import builtins, json
builtins.open = builtins.print = builtins.len = json.dumps = None
""",
        ends_with="anew",
    ),
    Hostile(
        name="markup and control characters",
        code="print('<script>alert(1)</script> ![x](http://127.0.0.1:<<port>>/) \\x1b[2J\\x00 \\u202e <|im_start|>')",
    ),
]

CONSUMING = [*APPETITE, *DEATH, *PROTOCOL]
