package pod

import (
	"bytes"
	"errors"
	"io/fs"
)

// A disk may be full when a step is over. So that what the step did can be written
// down all the same, a run keeps some of the disk for itself before it begins, and
// gives it back when it needs it.
const (
	fileReserve = ".reserve"
	reserved    = 128 << 10
)

// reserve fills the reserve. That it does not fit is an error before anything begins.
func (w *Workspace) reserve() error {
	if fi, err := w.root.Lstat(fileReserve); err == nil && fi.Mode().IsRegular() && fi.Size() == reserved {
		return nil
	}
	// Not zeroes, which a file system may keep without a block.
	return w.replace(fileReserve, bytes.Repeat([]byte("reserve\n"), reserved/8))
}

// again does what writes, and once more with the reserve's space if the disk is full.
func (w *Workspace) again(write func() error) error {
	err := write()
	if err == nil || !isFull(err) {
		return err
	}
	if gone := w.root.Remove(fileReserve); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		return err
	}
	if second := write(); second != nil {
		return err
	}
	return w.unusable(errFull{err}, ".") // it is written; nothing more is begun
}

// errFull is a full disk after which everything was written with the reserve.
type errFull struct{ error }

func (e errFull) Unwrap() error { return e.error }
