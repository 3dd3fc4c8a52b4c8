package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// find finds the files that the store is made of, and reads its logs. Where no manifest tells, it is all that
// there are.
func (s *source) find() error {
	number, body := s.manifest()
	if body == nil || s.version(number, body) != nil {
		s.lose(manifestPrefix+number, nil, nil,
			"neither it nor its copy %s%s can be read to its end, so that all files were read, also those that had been replaced", mirrorPrefix, number)
		s.tables, s.logs = nil, s.known(ofLog)
		for _, name := range s.known(ofTable) {
			s.tables = append(s.tables, &table{source: s, file: name})
		}
	}
	slices.SortFunc(s.tables, func(a, b *table) int { return strings.Compare(a.file, b.file) })
	for _, name := range s.logs {
		if err := s.readLog(name); err != nil {
			return err
		}
	}
	s.sortWritten()
	return s.ctx.Err()
}

func ofLog(name string) bool { return strings.HasSuffix(name, ".log") }

// manifest is the present one, or its copy, up to where it was written; nil: neither is whole. The marker says
// which is the present one. Without it, it is the last that is whole: one that was just being made is not.
func (s *source) manifest() (number string, body []byte) {
	var numbers []string
	marked := false
	for _, name := range s.known(func(string) bool { return true }) {
		if n, ok := strings.CutPrefix(name, manifestPrefix); ok {
			numbers = append(numbers, n)
		}
		if n, ok := strings.CutPrefix(name, mirrorPrefix); ok {
			numbers = append(numbers, n)
		}
		if _, n, ok := strings.Cut(name, "."+manifestPrefix); ok && strings.HasPrefix(name, markerPrefix+"manifest.") {
			number, marked = n, true // the names are sorted
		}
	}
	if marked {
		return number, s.readManifest(number)
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	for _, n := range slices.Compact(numbers) {
		if body := s.readManifest(n); body != nil {
			return n, body
		}
		number = n
	}
	return number, nil
}

// readManifest reads a manifest or its copy.
func (s *source) readManifest(number string) (best []byte) {
	e := s.entry(manifestPrefix + number)
	for _, name := range []string{manifestPrefix + number, mirrorPrefix + number} {
		if e != nil && !s.whole(e, name) {
			continue
		}
		if body, clean := s.records(name); (clean || e != nil) && len(body) > len(best) {
			best = body
		}
	}
	return best
}

// records is a manifest up to the end of its last whole record, and whether it ends there.
func (s *source) records(name string) (body []byte, clean bool) {
	f, err := s.fs.Open(s.fs.PathJoin(s.dir, name))
	if err != nil {
		return nil, false
	}
	defer f.Close()
	if body, err = io.ReadAll(f); err != nil {
		return nil, false
	}
	in := record.NewReader(strings.NewReader(string(body)), 0)
	end := int64(0)
	for {
		r, err := in.Next()
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err != nil {
			return body[:end], err == io.EOF
		}
		end = in.Offset()
	}
}

// version takes the files of rows and the logs that a manifest names. Pebble reads it in memory, where all other files
// are empty. It opens the logs that it would need, and of files of rows needs only to be there.
func (s *source) version(number string, body []byte) error {
	fs := &openedFS{FS: vfs.NewMem()}
	files := map[string][]byte{
		manifestPrefix + number:                             body,
		markerPrefix + "manifest.000001.MANIFEST-" + number: nil,
	}
	format := fmt.Sprintf("%sformat-version.000001.%03d", markerPrefix, formatVersion)
	for _, name := range s.known(func(string) bool { return true }) {
		if strings.HasPrefix(name, markerPrefix+"format-version.") {
			format = name
		}
		if ofLog(name) || ofTable(name) {
			files[name] = nil
		}
	}
	files[format] = nil
	for name, content := range files {
		f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
		if err == nil && len(content) > 0 {
			_, err = f.Write(content)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	db, err := pebble.Open("", &pebble.Options{
		FS: fs, ReadOnly: true, ErrorIfNotExists: true, DisableConsistencyCheck: true, DisableTableStats: true,
		FormatMajorVersion: formatVersion, Logger: silent{},
	})
	if err != nil {
		return err
	}
	defer db.Close()
	err = tablesOf(db, func(file string, t pebble.SSTableInfo) {
		s.tables = append(s.tables, &table{source: s, file: file, bounded: true,
			lower: t.Smallest.UserKey, upper: t.Largest.UserKey, open: t.Largest.IsExclusiveSentinel()})
	})
	if err != nil {
		return err
	}
	for name := range fs.logs {
		s.logs = append(s.logs, name)
	}
	slices.Sort(s.logs)
	return nil
}

// silent is a logger for reading. What cannot be read is told as a loss.
type silent struct{}

// Infof implements pebble.Logger.
func (silent) Infof(string, ...any) {}

// Errorf implements pebble.Logger.
func (silent) Errorf(string, ...any) {}

// Fatalf implements pebble.Logger.
func (silent) Fatalf(format string, args ...any) { panic(fmt.Errorf(format, args...)) }

// openedFS notes which logs are opened.
type openedFS struct {
	vfs.FS
	mu   sync.Mutex
	logs map[string]bool
}

// Open implements vfs.FS.
func (fs *openedFS) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if base := fs.PathBase(name); ofLog(base) {
		if fs.logs == nil {
			fs.logs = map[string]bool{}
		}
		fs.logs[base] = true
	}
	return fs.FS.Open(name, o...)
}
