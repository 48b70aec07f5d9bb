"""What hostile code tries to reach, by kind. Pure data: the code of each attack, and what must come of it.

`PRELUDE` defines `trial`: it prints `held` where an attack fails, and `ESCAPED` where it does not. Words in double
angle brackets are filled in by the test: a file and folders outside, ports that answer, a process to harm.
"""

from dataclasses import dataclass

PRELUDE = """
import ctypes, errno, os, platform, resource, signal, socket, sys, threading, time
ARM = platform.machine() == "aarch64"
libc = ctypes.CDLL(None, use_errno=True)
def trial(name, attack):
    try:
        attack()
    except BaseException as error:
        print("held", name, type(error).__name__)
    else:
        print("ESCAPED", name)
def native(name, *arguments):
    ctypes.set_errno(0)
    if getattr(libc, name)(*arguments) < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS, errno.EACCES):
        raise PermissionError(name)
def kernel(x86, arm, *arguments):
    native("syscall", arm if ARM else x86, *arguments)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    """One attack. `ends_with` are words of the error that must come; None where the code must run to its end.

    `tries` is how many lines `held` it prints; `is_told` are words that must be among what it prints or gives back.
    """

    name: str
    code: str
    tries: int = 0
    ends_with: str | None = None
    is_told: str = ""


READING = [
    Hostile(
        name="accounts and keys of the system",
        code="""
for path in ("/etc/passwd", "/etc/shadow", "/etc/hostname", "/root/.bashrc", "/etc/ssl/openssl.cnf",
             "/proc/1/root/etc/passwd"):
    trial(path, lambda: open(path, "rb").read(1) or 1 / 0)
""",
        tries=6,
    ),
    Hostile(
        name="a secret of the server, by every way to open",
        code="""
import io, mmap, pathlib, shutil, sqlite3, tarfile, zipfile
path = "<<secret>>"
trial("open", lambda: open(path))
trial("os.open", lambda: os.open(path, os.O_RDONLY))
trial("by descriptor", lambda: os.open("/proc/self/fd/%d" % os.open(path, os.O_PATH), os.O_RDONLY))
trial("pathlib", lambda: pathlib.Path(path).read_bytes())
trial("native", lambda: native("open", path.encode(), 0) if libc.open(path.encode(), 0) < 0 and 1 / 0 else None)
trial("copy", lambda: shutil.copyfile(path, "copy"))
trial("move", lambda: os.rename(path, "moved"))
trial("listing", lambda: os.listdir(os.path.dirname(path)))
trial("walking up", lambda: open("../" * 12 + path.lstrip("/")))
trial("from the root folder", lambda: open("/proc/self/root" + path))
trial("from the current folder", lambda: open("/proc/self/cwd/../" * 3 + path))
trial("sqlite", lambda: sqlite3.connect("file:%s?mode=ro" % path, uri=True).execute("select * from x"))
""",
        tries=12,
    ),
    Hostile(
        name="a secret of the server, by libraries",
        code="""
import numpy, pandas, pickle
path = "<<secret>>"
trial("read_csv", lambda: pandas.read_csv(path))
trial("fromfile", lambda: numpy.fromfile(path, dtype="uint8"))
trial("memmap", lambda: numpy.memmap(path, mode="r"))
trial("loadtxt", lambda: numpy.loadtxt(path, dtype=str))
trial("file address", lambda: pandas.read_csv("file://" + path))
class Command:
    def __reduce__(self):
        return os.execv, ("/bin/sh", ["sh", "-c", "touch <<outside>>/pickled"])
trial("pickle", lambda: pickle.loads(pickle.dumps(Command())))
""",
        tries=6,
    ),
    Hostile(
        name="other processes",
        code="""
for pid in ("<<server>>", "<<decoy>>", str(os.getppid()), "1"):
    for what in ("environ", "cmdline", "maps", "mem", "fd/0", "cwd/x", "root/etc/passwd"):
        if pid != str(os.getpid()):
            trial(pid + what, lambda: open(f"/proc/{pid}/{what}", "rb").read(1) or 1 / 0)
print("tried")
""",
        is_told="tried",
    ),
    Hostile(
        name="own environment",
        code="""
known = {"LANG", "MPLBACKEND", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "JOBLIB_MULTIPROCESSING",
         "MALLOC_ARENA_MAX", "HOME", "TMPDIR", "MPLCONFIGDIR", "PWD"}
print("ESCAPED" if set(os.environ) - known else "clean", sorted(set(os.environ) - known))
""",
        is_told="clean",
    ),
    Hostile(
        name="what lies around in memory",
        code="""
import gc
marks = ("canary-" + "of-the-server",)
found = [o for o in gc.get_objects() if isinstance(o, (str, dict)) and any(m in str(o)[:2000] for m in marks)]
print("ESCAPED" if [o for o in found if "gc.get_objects" not in str(o) and "marks" not in str(o)] else "nothing")
""",
        is_told="nothing",
    ),
    Hostile(
        name="another chat's folder",
        code="""
trial("file", lambda: open("<<other>>/private.txt"))
trial("folder", lambda: os.listdir("<<other>>"))
trial("the folder of all chats", lambda: os.listdir(os.path.dirname("<<other>>")))
trial("one up", lambda: os.listdir(".."))
""",
        tries=4,
    ),
]

WRITING = [
    Hostile(
        name="outside the chat's folder",
        code="""
import sys
for folder in ("<<outside>>", "<<other>>", "/etc", "/usr/lib", "/var/tmp", "/home", "/root", "/dev", "/opt", "/",
               os.path.dirname(os.__file__), "/dev/shm", "/run", ".."):
    trial(folder, lambda: open(folder + "/written", "w"))
    trial(folder + " folder", lambda: os.mkdir(folder + "/made"))
""",
        tries=28,
    ),
    Hostile(
        name="files that others own",
        code="""
path = "<<secret>>"
trial("append", lambda: open(path, "a"))
trial("truncate", lambda: os.truncate(path, 0))
trial("unlink", lambda: os.unlink(path))
trial("rename", lambda: os.replace("x", path) if open("x", "w").close() is None else None)
for name, change in (("mode", lambda: os.chmod(path, 0o777)), ("times", lambda: os.utime(path, (1, 1)))):
    try:
        change()
    except OSError:
        pass
print("tried")
""",
        tries=4,
        is_told="tried",
    ),
    Hostile(
        name="things planted for the server to fall over",
        code="""
trial("symlink", lambda: os.symlink("<<secret>>", "plot.png"))
trial("symlink to a folder", lambda: os.symlink("/", "data"))
trial("hard link", lambda: os.link("<<secret>>", "hard.txt"))
open("own.txt", "w").close()
trial("hard link to an own file", lambda: os.link("own.txt", "second.txt"))
trial("pipe", lambda: os.mkfifo("pipe"))
trial("device", lambda: os.mknod("device", 0o20666, os.makedev(1, 3)))
trial("socket", lambda: socket.socket(socket.AF_UNIX).bind("socket"))
trial("whiteout", lambda: kernel(316, 276, -100, b"own.txt", -100, b"gone.txt", 4))
""",
        tries=8,
    ),
]

NETWORK = [
    Hostile(
        name="connections",
        code="""
import urllib.request
for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0"):
    trial(host, lambda: socket.create_connection((host, <<port>>), timeout=1))
trial("address", lambda: urllib.request.urlopen("http://127.0.0.1:<<port>>/", timeout=1))
trial("datagram", lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", <<port>>)))
trial("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0<<abstract>>"))
datagrams = lambda: socket.socketpair(type=socket.SOCK_DGRAM)[0]
trial("abstract datagram of a pair", lambda: datagrams().sendto(b"x", "\\0<<abstract>>-datagram"))
trial("address given to a connected pair", lambda: socket.socketpair()[0].sendto(b"x", "\\0<<abstract>>"))
trial("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
trial("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
trial("packets", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
trial("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
trial("names", lambda: socket.getaddrinfo("example.org", 80))
trial("serving", lambda: socket.create_server(("127.0.0.1", 0)))
""",
        tries=15,
    ),
]

PROCESSES = [
    Hostile(
        name="other programs",
        code="""
import multiprocessing, subprocess
trial("subprocess", lambda: subprocess.run(["/bin/sh", "-c", "echo"]))
trial("this interpreter", lambda: subprocess.run([sys.executable, "-c", "1"]))
trial("system", lambda: native("system", b"exit") if libc.system(b"exit 7") != 7 << 8 and 1 / 0 else None)
trial("execve", lambda: os.execv("/bin/sh", ["sh"]))
trial("spawn", lambda: os.posix_spawn("/bin/sh", ["sh"], {}))
trial("fork", lambda: os.fork() or os._exit(0))
trial("vfork", lambda: kernel(58, 220, 0x4011) if not ARM else 1 / 0)
trial("clone3", lambda: kernel(435, 435, 0, 0))
trial("multiprocessing", lambda: multiprocessing.get_context("fork").Process(target=print).start())
trial("executable in memory", lambda: os.memfd_create("x"))
""",
        tries=10,
    ),
    Hostile(
        name="other processes and their limits",
        code="""
import fcntl
decoy, server = <<decoy>>, <<server>>
for pid in (decoy, server, os.getppid(), 0, -1, -decoy):
    if pid != os.getpid():
        trial(f"kill {pid}", lambda: os.kill(pid, signal.SIGTERM))
trial("thread", lambda: native("syscall", 131 if ARM else 234, decoy, decoy, 9))
trial("handle", lambda: os.pidfd_open(decoy))
trial("queue", lambda: kernel(129, 138, decoy, 9, None))
trial("limits", lambda: resource.prlimit(decoy, resource.RLIMIT_NOFILE, (5, 5)))
trial("priority", lambda: os.setpriority(os.PRIO_PROCESS, decoy, 19))
trial("processors", lambda: os.sched_setaffinity(decoy, {0}))
trial("trace", lambda: native("ptrace", 16, decoy, 0, 0))
trial("memory", lambda: kernel(310, 270, decoy, 0, 0, 0, 0, 0))
trial("owner of a descriptor", lambda: fcntl.fcntl(0, fcntl.F_SETOWN, decoy))
trial("signal of a descriptor", lambda: fcntl.fcntl(0, fcntl.F_SETSIG, signal.SIGKILL))
print("tried")
""",
        is_told="tried",
    ),
]

KERNEL = [
    Hostile(
        name="namespaces and mounts",
        code="""
for flag in (0x10000000, 0x00020000, 0x40000000, 0x20000000, 0x08000000):
    trial(hex(flag), lambda: native("unshare", flag))
trial("mount", lambda: native("mount", b"none", b"/tmp", b"tmpfs", 0, None))
trial("unmount", lambda: native("umount2", b"/", 2))
trial("chroot", lambda: os.chroot("."))
trial("setns", lambda: native("setns", 0, 0))
trial("new mount", lambda: kernel(430, 430, b"tmpfs", 0))
trial("tree", lambda: kernel(428, 428, -100, b"/", 1))
""",
        tries=11,
    ),
    Hostile(
        name="parts of the kernel that computing does not need",
        code="""
calls = '''
io_uring:425:425 bpf:321:280 perf:298:241 userfaultfd:323:282 add_key:248:217 request_key:249:218 keyctl:250:219
open_by_handle:304:265 name_to_handle:303:264 kcmp:312:272 personality:135:92 init_module:175:105
finit_module:313:273 kexec:246:104 shmget:29:194 msgget:68:186 semget:64:190 mq_open:240:180 fanotify:300:262
inotify:294:26 swapon:167:224 acct:163:89 syslog:103:116 quotactl:179:60 vmsplice:278:75 tee:276:77
timer_create:222:107 setdomain:171:162 sethostname:170:161 reboot:169:142 settime:227:112 iopl:172:10000
modify_ldt:154:10000 landlock:444:444 seccomp:317:277 pidfd_getfd:438:438 process_madvise:440:440 capset:126:91
memfd_secret:447:447 one-to-come:600:600 x32:1073741824:600
'''
for name, x86, arm in (call.split(":") for call in calls.split()):
    trial(name, lambda: kernel(int(x86), int(arm), 1, 0, 0, 0, 0, 0))
""",
        tries=41,
    ),
    Hostile(
        name="privileges",
        code="""
trial("root", lambda: os.setuid(0))
trial("group", lambda: os.setgroups([0]))
trial("saved root", lambda: os.setresuid(0, 0, 0))
print("ESCAPED" if os.getuid() == 0 or libc.prctl(39, 0, 0, 0, 0) != 1 else "unprivileged")
trial("outlive the server", lambda: native("prctl", 1, 0, 0, 0, 0))
trial("be traced", lambda: native("prctl", 4, 1, 0, 0, 0))
trial("keep capabilities", lambda: native("prctl", 47, 2, 1, 0, 0))
""",
        tries=6,
        is_told="unprivileged",
    ),
    Hostile(
        name="terminals",
        code="""
import fcntl
for path in ("/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/0"):
    trial(path, lambda: fcntl.ioctl(os.open(path, os.O_RDWR), 0x5412, b"x"))
trial("push", lambda: fcntl.ioctl(0, 0x5412, b"x"))
trial("paste", lambda: fcntl.ioctl(1, 0x541C, b"x"))
""",
        tries=6,
    ),
    Hostile(
        name="limits",
        code="""
for name in ("AS", "FSIZE", "NPROC", "NOFILE", "CORE", "MEMLOCK", "MSGQUEUE"):
    kind = getattr(resource, "RLIMIT_" + name)
    most = resource.getrlimit(kind)[1]
    trial(name, lambda: resource.setrlimit(kind, (resource.RLIM_INFINITY,) * 2))
    trial(name + " by one", lambda: resource.setrlimit(kind, (most + 1, most + 1)))
trial("nice", lambda: os.nice(-1))
trial("killer", lambda: open("/proc/self/oom_score_adj", "w").write("-1000"))
""",
        tries=16,
    ),
]

REACHING = [*READING, *WRITING, *NETWORK, *PROCESSES, *KERNEL]
