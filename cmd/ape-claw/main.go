// Command ape-claw is the toolkit agents and developers act on ApeChain with.
// main takes what a run needs from the machine and hands it to commands.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/ape-claw/ape-claw/commands"
)

func main() {
	// A core file would hold the key. That it can't be switched off stops nobody.
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	// What libraries print of their own accord is for no terminal: net/http shows there what
	// a server sends unasked, which may be a secret that it was sent.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		// After the first signal the handler is gone, and a second one ends the
		// process at once.
		<-ctx.Done()
		stop()
	}()
	code := commands.Run(ctx, os.Args[1:], host())
	stop()
	os.Exit(code)
}

func host() commands.Host {
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	return commands.Host{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTTY:     term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTTY:    term.IsTerminal(int(os.Stdout.Fd())),
		StderrTTY:    term.IsTerminal(int(os.Stderr.Fd())),
		Env:          os.LookupEnv,
		Now:          time.Now,
		Executable:   executable,
		OpenURL:      openURL,
		OpenTerminal: openTerminal,
		OpenPTY:      openPTY,
		OpenConsole:  openConsole,
		PolicyDir:    "/etc/ape-claw",
	}
}

// openURL hands an address to the desktop's browser.
func openURL(url string) error {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	cmd := exec.Command(opener, url)
	cmd.Env = desktopEnv(os.LookupEnv)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// desktopEnv is what a browser needs to start, and nothing else: keys in the
// environment never reach a child process.
func desktopEnv(lookup func(string) (string, bool)) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "USER", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
		"XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "DBUS_SESSION_BUS_ADDRESS", "BROWSER", "WSL_DISTRO_NAME"} {
		if v, ok := lookup(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
