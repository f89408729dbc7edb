//go:build !linux

package torture_test

import "syscall"

func dieWithUs() *syscall.SysProcAttr { return nil }

func memory(int) (now, peak int64, ok bool) { return 0, 0, false }

func descriptors(int) (files, sockets int, ok bool) { return 0, 0, false }

func openFiles(int) string { return "" }

func bytesRead(int) (int64, bool) { return 0, false }
