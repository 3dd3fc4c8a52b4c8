package pebblestore

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
)

const (
	// loadPrefix begins the names of tables that are not part of the database yet. What a process leaves behind of
	// them the next one removes.
	loadPrefix = "LOAD-"
	// tableBytes is about how large such a table becomes.
	tableBytes = 64 << 20
	// lowest is the level of most tables that are added.
	lowest = 6
	// loads is what is written to them.
	loads vfs.DiskWriteCategory = "zproxy-load"
)

// stack is tables of a space in the order of their keys.
type stack struct {
	store  *Store
	space  store.SpaceID
	files  []string
	writer *sstable.Writer // of the last table; nil: it has ended
	bytes  int             // of it, about
}

// add adds a write behind all those before.
func (s *stack) add(key, value []byte, deleted bool) error {
	if s.writer == nil {
		if err := s.begin(); err != nil {
			return err
		}
	}
	s.bytes += len(key) + len(value)
	if deleted {
		return s.writer.Delete(key)
	}
	if err := s.writer.Set(key, value); err != nil || s.bytes < tableBytes {
		return err
	}
	return s.end()
}

// begin begins a table.
func (s *stack) begin() error {
	if err := s.store.room.check(); err != nil {
		return err
	}
	fs := s.store.loadFS
	name := fs.PathJoin(s.store.room.dir, fmt.Sprintf("%s%d", loadPrefix, s.store.loaded.Add(1)))
	file, err := fs.Create(name, loads)
	if err != nil {
		return err
	}
	s.files = append(s.files, name)
	s.writer = sstable.NewWriter(objstorageprovider.NewFileWritable(file), s.store.tableOptions(s.space))
	s.bytes = 0
	return nil
}

// end ends the last table, which is durable then.
func (s *stack) end() error {
	if s.writer == nil {
		return nil
	}
	err := s.writer.Close()
	s.writer = nil
	return err
}

// tableOptions are those of a table of a space.
func (s *Store) tableOptions(space store.SpaceID) sstable.WriterOptions {
	o := s.tables.MakeWriterOptions(lowest, s.db.TableFormat())
	o.WritingToLowestLevel = false // what is deleted may be below: a delete is not obsolete
	if len(s.ledger.denseSpaces()) > 0 && !s.ledger.isDense(space) {
		o.Compression = sstable.FastestCompression
	}
	return o
}

// removeStacks removes the tables that are not part of the database.
func removeStacks(s *Store, stacks []*stack) {
	for _, top := range stacks {
		for _, name := range top.files {
			if _, err := s.loadFS.Stat(name); err == nil {
				_ = s.loadFS.Remove(name)
			}
		}
	}
}
