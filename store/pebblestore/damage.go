package pebblestore

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/encoding/rows"
	"zproxy/store"
	"zproxy/store/overlay"
)

// noteDamage logs what Pebble has found, be it in the background or for a reader, who gets an error.
func (s *Store) noteDamage(info pebble.DataCorruptionInfo) {
	s.log.Errorf("file %s is damaged: %s", info.Path, reasonOf(info.Details))
}

// damaged makes the error of a read one that says what is damaged.
func (s *Store) damaged(err error) error {
	if err == nil || !pebble.IsCorruptionError(err) && !errors.Is(err, rows.ErrCorrupt) {
		return err
	}
	d := &store.Damaged{Reason: reasonOf(err)}
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		d.File = filepath.Base(info.Path)
		d.Spaces = s.namesBetween(info.Bounds.Start, info.Bounds.End.Key)
	}
	return d
}

// reasonOf is what Pebble says, without what it carries for programs on lines of their own.
func reasonOf(err error) string {
	reason, _, _ := strings.Cut(err.Error(), "\n")
	return reason
}

// namesBetween are the names of the spaces that have keys between two.
func (s *Store) namesBetween(from, to []byte) []string {
	if len(from) < overlay.SpaceBytes || len(to) < overlay.SpaceBytes {
		return nil
	}
	first, last := binary.BigEndian.Uint64(from), binary.BigEndian.Uint64(to)
	list, err := s.Spaces(s.stopped)
	if err != nil {
		return nil
	}
	var names []string
	for _, sp := range list {
		if uint64(sp.ID) >= first && uint64(sp.ID) <= last {
			names = append(names, sp.Name)
		}
	}
	return names
}
