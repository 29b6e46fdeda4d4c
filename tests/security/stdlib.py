"""Programs for tests/security/trace: what a job may do with the standard library beyond snippets."""

PROGRAMS = {
    "asyncio": """
import asyncio
async def main():
    async with asyncio.timeout(5):
        queue = asyncio.Queue()
        async def feed():
            for n in range(3):
                await asyncio.sleep(0.01)
                await queue.put(n)
        task = asyncio.create_task(feed())
        got = [await queue.get() for _ in range(3)]
        await task
        await asyncio.to_thread(sum, got)
        return got
assert asyncio.run(main()) == [0, 1, 2]
""",
    "threads": """
import threading, concurrent.futures, queue, time
lock = threading.RLock()
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    assert list(pool.map(lambda n: n * n, range(20)))[-1] == 361
barrier = threading.Barrier(3, timeout=5)
threads = [threading.Thread(target=barrier.wait) for _ in range(3)]
[t.start() for t in threads]; [t.join() for t in threads]
threading.Timer(0.01, lambda: None).start()
q = queue.Queue(); q.put(1); q.get(timeout=1)
threading.get_native_id()
time.sleep(0.02)
""",
    "multiprocessing": """
import multiprocessing as mp
def square(n):
    return n * n
def talk(end):
    end.send([1, 2, 3]); end.close()
ctx = mp.get_context("fork")
here, there = ctx.Pipe()
child = ctx.Process(target=talk, args=(there,))
child.start()
assert here.recv() == [1, 2, 3]
child.join(); child.close()
""",
    "files": """
import os, shutil, tempfile, pathlib, stat, mmap, time
os.makedirs("a/b/c", exist_ok=True)
p = pathlib.Path("a/f.txt"); p.write_text("x" * 5000)
os.rename("a/f.txt", "a/g.txt"); os.replace("a/g.txt", "a/h.txt")
os.link("a/h.txt", "a/i.txt"); os.symlink("h.txt", "a/j"); os.readlink("a/j")
os.chmod("a/h.txt", 0o600); os.utime("a/h.txt", (1, 2)); os.truncate("a/h.txt", 100)
os.access("a/h.txt", os.R_OK); os.stat("a/j"); os.lstat("a/j"); os.statvfs("."); os.umask(0o22)
fd = os.open("a/h.txt", os.O_RDWR)
os.pread(fd, 10, 0); os.pwrite(fd, b"yy", 3); os.preadv(fd, [bytearray(4)], 0); os.pwritev(fd, [b"z"], 1)
os.readv(fd, [bytearray(4)]); os.writev(fd, [b"q"]); os.lseek(fd, 0, 0)
os.ftruncate(fd, 4096); os.fsync(fd); os.fdatasync(fd); os.fchmod(fd, 0o644); os.fstat(fd)
os.posix_fallocate(fd, 0, 8192); os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_SEQUENTIAL); os.fstatvfs(fd)
os.dup2(os.dup(fd), fd + 5); os.get_inheritable(fd); os.set_inheritable(fd, True); os.get_blocking(fd)
m = mmap.mmap(fd, 4096); m[:3] = b"abc"; m.flush()
for advice in ("NORMAL", "RANDOM", "SEQUENTIAL", "WILLNEED"):
    m.madvise(getattr(mmap, "MADV_" + advice)); os.posix_fadvise(fd, 0, 0, getattr(os, "POSIX_FADV_" + advice))
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED); os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_NOREUSE)
m.close()
m = mmap.mmap(-1, 1 << 22, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for advice in ("DONTFORK", "DOFORK", "NOHUGEPAGE", "HUGEPAGE", "DONTDUMP", "DODUMP", "WIPEONFORK", "KEEPONFORK",
               "FREE", "DONTNEED", "COLD", "PAGEOUT"):
    if hasattr(mmap, "MADV_" + advice):
        m.madvise(getattr(mmap, "MADV_" + advice))
import fcntl, array
fcntl.lockf(fd, fcntl.LOCK_EX); fcntl.lockf(fd, fcntl.LOCK_UN); fcntl.fcntl(fd, fcntl.F_DUPFD, 20)
r, w = os.pipe(); fcntl.fcntl(w, fcntl.F_SETFL, fcntl.fcntl(w, fcntl.F_GETFL) | os.O_NONBLOCK)
fcntl.ioctl(r, 0x541b, array.array("i", [0]), True)
os.fchown(fd, -1, -1)
os.sendfile(os.open("a/out", os.O_CREAT | os.O_WRONLY), fd, 0, 100)
os.copy_file_range(fd, os.open("a/out2", os.O_CREAT | os.O_WRONLY), 50)
folder = os.open("a", os.O_RDONLY)
os.stat("h.txt", dir_fd=folder); os.mkdir("d", dir_fd=folder); os.rmdir("d", dir_fd=folder)
os.chmod("h.txt", 0o600, dir_fd=folder); os.access("h.txt", os.R_OK, dir_fd=folder, effective_ids=True)
os.rename("i.txt", "k.txt", src_dir_fd=folder, dst_dir_fd=folder); os.unlink("k.txt", dir_fd=folder)
os.link("h.txt", "l.txt", src_dir_fd=folder, dst_dir_fd=folder)
os.symlink("h.txt", "m", dir_fd=folder); os.readlink("m", dir_fd=folder)
os.fchdir(folder); os.chdir("/mnt/data"); os.getcwd(); os.listdir("a"); list(os.scandir("a")); list(os.walk("/mnt"))
with tempfile.TemporaryDirectory() as t, tempfile.NamedTemporaryFile() as f, tempfile.TemporaryFile() as g:
    shutil.copytree("a", t + "/copy", symlinks=True); shutil.copy2("a/h.txt", t); shutil.move(t + "/h.txt", t + "/n")
    shutil.make_archive(t + "/z", "zip", "a"); shutil.make_archive(t + "/y", "gztar", "a")
shutil.disk_usage("."); shutil.rmtree("a")
""",
    "databases": """
import sqlite3, dbm.dumb, shelve, csv, json, pickle, configparser, zipfile, tarfile, lzma, bz2, gzip
with sqlite3.connect("x.db") as db:
    db.execute("pragma journal_mode=wal")
    db.execute("create table t (a)"); db.executemany("insert into t values (?)", [(n,) for n in range(100)])
assert db.execute("select sum(a) from t").fetchone() == (4950,)
db.close()
with gzip.open("f.gz", "wt") as f: f.write("x" * 1000)
with bz2.open("f.bz2", "wt") as f: f.write("x")
with lzma.open("f.xz", "wt") as f: f.write("x")
with zipfile.ZipFile("f.zip", "w") as z: z.write("f.gz")
with tarfile.open("f.tar", "w") as t: t.add("f.gz")
""",
    "signals": """
import signal, time, os, select, faulthandler
got = []
signal.signal(signal.SIGALRM, lambda *a: got.append(1)); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()
signal.alarm(10); signal.alarm(0); signal.getitimer(signal.ITIMER_REAL)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1}); os.kill(os.getpid(), signal.SIGUSR1)
signal.sigpending(); signal.sigwait({signal.SIGUSR1}); signal.sigtimedwait({signal.SIGUSR1}, 0.001)
signal.raise_signal(signal.SIGALRM); signal.pthread_kill(__import__("threading").get_ident(), signal.SIGALRM)
r, w = os.pipe(); signal.set_wakeup_fd(-1)
poll = select.poll(); poll.register(r, select.POLLIN); poll.poll(1)
select.select([r], [], [], 0.001); e = select.epoll(); e.register(r, 1); e.poll(0.001); e.close()
os.eventfd(0); os.set_blocking(w, False)
t = os.timerfd_create(time.CLOCK_MONOTONIC); os.timerfd_settime(t, initial=0.001); os.read(t, 8); os.timerfd_gettime(t)
time.sleep(0.001); time.clock_gettime(time.CLOCK_MONOTONIC); time.clock_getres(time.CLOCK_REALTIME); time.process_time()
import sys
faulthandler.enable(file=sys.__stderr__)
""",
    "socket pairs": """
import socket
a, b = socket.socketpair()
a.sendall(b"x"); b.recv(1); a.getsockname(); a.getpeername(); a.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)
a.shutdown(socket.SHUT_WR); a.close(); b.close()
""",
    "processes": """
import os, resource, sys, time
pid = os.fork()
if pid == 0:
    os.setsid(); os._exit(3)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
pid = os.fork()
if pid == 0:
    os.setpgid(0, 0); os._exit(0)
os.waitid(os.P_PID, pid, os.WEXITED)
os.getuid(); os.geteuid(); os.getgid(); os.getegid(); os.getpgrp(); os.getpgid(0); os.getsid(0); os.getppid(); os.getgroups(); os.getresuid(); os.getresgid(); os.getlogin
os.times(); resource.getrusage(resource.RUSAGE_SELF); resource.getrlimit(resource.RLIMIT_NOFILE)
os.sched_getaffinity(0); os.sched_yield(); os.cpu_count(); os.uname(); os.urandom(8); os.isatty(1)
try:
    os.get_terminal_size()
except OSError:
    pass
""",
    "refused": """
import subprocess, socket, os, ctypes, urllib.request, multiprocessing, time, platform, shutil
for attempt in (lambda: subprocess.run(["ls"]), lambda: os.system("ls"), lambda: socket.create_connection(("127.0.0.1", 9), 1),
                lambda: urllib.request.urlopen("http://127.0.0.1:9/"), lambda: os.mkfifo("p"), lambda: os.getloadavg(),
                lambda: os.nice(1), lambda: os.setuid(0), lambda: os.chown("/mnt/data", 0, 0), lambda: os.chroot("/"),
                lambda: os.memfd_create("x"), lambda: os.splice, lambda: os.getxattr("/mnt/data", "user.x"),
                lambda: os.listxattr("/mnt/data"), lambda: os.sched_setaffinity(0, {0}), lambda: os.posix_spawn("/x", ["x"], {}),
                lambda: multiprocessing.Queue().put(1), lambda: __import__("fcntl").flock(1, 2), lambda: platform.platform()):
    try:
        attempt()
    except Exception:
        pass
""",
    "numeric threads": """
import numpy as np, scipy.linalg, sklearn.cluster, pandas as pd
a = np.random.default_rng(1).random((300, 300))
np.linalg.svd(a); scipy.linalg.expm(a[:50, :50]); a.sort(); np.save("a.npy", a); np.load("a.npy", mmap_mode="r").sum()
sklearn.cluster.KMeans(3, n_init=2).fit(a)
pd.DataFrame(a).to_csv("a.csv"); pd.read_csv("a.csv", engine="c"); pd.DataFrame(a).describe()
""",
}
