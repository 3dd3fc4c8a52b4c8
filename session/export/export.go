// Package export keeps the files that partitions are exported to in a directory. A file has its name only when it is
// whole and on the disk: until then it has another one, which a process that dies leaves behind, and the next attempt
// removes. The package knows nothing of what is in the files.
//
// Read Dir first, then File.
package export

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Dir is the directory of the files.
type Dir struct{ path string }

// Open wants a directory to be there, and files to be made in it.
func Open(path string) (*Dir, error) {
	d := &Dir{path}
	f, err := d.Create("probe")
	if err != nil {
		return nil, fmt.Errorf("the directory for exports: %w", err)
	}
	return d, f.Discard()
}

// Name is that of the file of a table, whose number in the catalog is unique in it: public.log_2026_03.16412.csv would
// be written over by another database, so the time is in it, too.
func Name(schema, table string, id uint32, at time.Time) string {
	return fmt.Sprintf("%s.%s.%d.%s.csv", plain(schema), plain(table), id, at.UTC().Format("20060102T150405Z"))
}

// mostName is how many bytes of a name of the catalog are part of that of a file, of which systems have 255.
const mostName = 90

// plain is a name of the catalog in characters that mean nothing to any file system.
func plain(name string) string {
	var out strings.Builder
	for _, b := range []byte(name) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '_', b == '-':
			out.WriteByte(b)
		default:
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()[:min(out.Len(), mostName)]
}

// suffix ends the names of files that are not whole yet.
const suffix = ".partial"

// Create begins a file, and removes what earlier attempts at it have left.
func (d *Dir) Create(name string) (*File, error) {
	left, err := filepath.Glob(filepath.Join(d.path, "."+name+".*"+suffix))
	if err != nil {
		return nil, err
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	f, err := os.CreateTemp(d.path, "."+name+".*"+suffix)
	if err != nil {
		return nil, err
	}
	return &File{Writer: bufio.NewWriterSize(f, 1<<20), file: f, final: filepath.Join(d.path, name)}, nil
}

// File is one that is being written. It has mode 0600.
type File struct {
	*bufio.Writer
	file  *os.File
	final string
}

// Commit ends the file: it has its name afterwards, also if the machine fails. An earlier one of the name is replaced.
func (f *File) Commit() error {
	err := f.Flush()
	if err == nil {
		err = f.file.Sync()
	}
	if err == nil {
		err = f.file.Close()
	}
	if err == nil {
		err = os.Rename(f.file.Name(), f.final)
	}
	if err != nil {
		return errors.Join(err, f.Discard())
	}
	return syncDir(filepath.Dir(f.final))
}

// Discard removes the file if it is not committed.
func (f *File) Discard() error {
	_ = f.file.Close() // it may be closed already
	if err := os.Remove(f.file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncDir makes the names in a directory durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
