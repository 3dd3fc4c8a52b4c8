package pebblestore

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Refusal is why a store is not opened. Nothing in its folder was changed.
type Refusal struct {
	File   string // the path of what is wrong
	Reason string // names it
	Hint   string // what to do
}

// Error implements error.
func (r *Refusal) Error() string { return r.Reason }

const (
	folderMode os.FileMode = 0o700
	fileMode   os.FileMode = 0o600
)

// checkMode refuses a folder on the disk that others than its owner may look into. An empty one is
// made private.
func checkMode(dir string) error {
	info, err := os.Stat(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil || info.Mode().Perm()&^folderMode == 0 {
		return err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return os.Chmod(dir, folderMode)
	}
	if !slices.ContainsFunc(files, func(f os.DirEntry) bool { return f.Name() == ledgerName || ofStore(f.Name()) }) {
		return notEmpty(dir)
	}
	return &Refusal{dir, fmt.Sprintf("data directory %q has invalid permissions", dir),
		fmt.Sprintf("Permissions should be u=rwx (0700): chmod 700 %s, and chmod -R go-rwx %s for the files in it.",
			dir, dir)}
}

// makeFolder makes a folder and those above it that are missing, durably.
func makeFolder(fs vfs.FS, dir string) error {
	if _, err := fs.Stat(dir); err == nil {
		return nil
	}
	parent := fs.PathDir(dir)
	if parent == dir {
		return nil
	}
	if err := makeFolder(fs, parent); err != nil {
		return err
	}
	if err := fs.MkdirAll(dir, folderMode); err != nil {
		return err
	}
	return syncFolder(fs, parent)
}

// syncFolder makes durable which files are in a folder.
func syncFolder(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		_ = d.Close()
		return err
	}
	return d.Close()
}

// privateFS is the disk, on which it makes what only the owner may read.
type privateFS struct{ vfs.FS }

func (p privateFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := p.FS.Create(name, c)
	return private(f, name, err)
}

func (p privateFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := p.FS.OpenReadWrite(name, c, o...)
	return private(f, name, err)
}

func (p privateFS) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := p.FS.ReuseForWrite(from, to, c)
	return private(f, to, err)
}

func (p privateFS) MkdirAll(dir string, _ os.FileMode) error { return p.FS.MkdirAll(dir, folderMode) }

func (p privateFS) Lock(name string) (io.Closer, error) {
	lock, err := p.FS.Lock(name)
	return private(lock, name, err)
}

func (p privateFS) Unwrap() vfs.FS { return p.FS }

// private is for a file that was opened or made.
func private[F io.Closer](f F, name string, err error) (F, error) {
	if err == nil {
		if err = os.Chmod(name, fileMode); err != nil {
			_ = f.Close()
		}
	}
	return f, err
}
