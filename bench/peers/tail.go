package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
)

// tail hands on the whole lines that are appended to a file.
type tail struct {
	file  *os.File
	watch *fsnotify.Watcher
}

// openTail starts at the file's end.
func openTail(name string) (*tail, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return nil, err
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &tail{f, w}, w.Add(name)
}

// run calls publish with one or more whole lines, until reading fails. A line
// longer than the buffer ends it: these servers meet only our own events.
func (t *tail) run(publish func(lines []byte)) error {
	buf := make([]byte, 512<<10)
	fill := 0
	safety := time.NewTicker(time.Second)
	defer safety.Stop()
	for {
		select {
		case _, ok := <-t.watch.Events:
			if !ok {
				return fsnotify.ErrClosed
			}
		case <-safety.C:
		}
		for {
			n, err := t.file.Read(buf[fill:])
			fill += n
			if i := bytes.LastIndexByte(buf[:fill], '\n'); i >= 0 {
				publish(buf[:i+1])
				fill = copy(buf, buf[i+1:fill])
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			if fill == len(buf) {
				return errors.New("a line is longer than the buffer")
			}
		}
	}
}
