package e2e

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/indextest"
	"zproxy/session"
	"zproxy/store"
	"zproxy/store/pebblestore"
)

// denseSpaces is a store that notes of each space whether it was last to be Dense.
type denseSpaces struct {
	*pebblestore.Store
	mu    sync.Mutex
	dense map[string]bool // by name of the space
}

func (s *denseSpaces) Create(ctx context.Context, sp *store.Space) error {
	s.note(sp)
	return s.Store.Create(ctx, sp)
}

func (s *denseSpaces) AlterSpace(ctx context.Context, sp *store.Space) error {
	s.note(sp)
	return s.Store.AlterSpace(ctx, sp)
}

func (s *denseSpaces) note(sp *store.Space) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dense[sp.Name] = sp.Dense
}

// names are the dense spaces without their numbers, in the order in which they were made. Those that
// are dropped are forgotten.
func (s *denseSpaces) names(t *testing.T) (out []string) {
	t.Helper()
	list, err := s.Spaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sp := range list {
		if s.dense[sp.Name] {
			out = append(out, sp.Name[:strings.LastIndex(sp.Name, ".")])
		}
	}
	return out
}

// TestCompression changes the option COMPRESSION of a table and an index, and gives both other spaces. The store
// must have been asked to keep dense what has ZSTD, and nothing else.
func TestCompression(t *testing.T) {
	pebble := openPebble(t, vfs.NewMem()).(*pebblestore.Store)
	st := &denseSpaces{Store: pebble, dense: map[string]bool{}}
	indextest.AtEnd(t, st)
	p := newPlayer(t, serve(t, st, session.Options{}).url())
	for _, step := range []struct{ run, want string }{
		{"CREATE TABLE parcels (id int PRIMARY KEY, note text) WITH (compression = 'zstd')", "public.parcels"},
		{"CREATE INDEX by_note ON parcels (note)", "public.parcels"},
		{"INSERT INTO parcels SELECT i, 'n' || i FROM generate_series(1, 100) AS i", "public.parcels"},
		{"ALTER INDEX by_note SET (compression = 'ZSTD')", "public.parcels public.parcels.by_note"},
		{"ALTER TABLE parcels SET (compression = 'SNAPPY')", "public.parcels.by_note"},
		{"REINDEX INDEX by_note", "public.parcels.by_note"},
		{"TRUNCATE parcels", "public.parcels.by_note"},
		{"ALTER TABLE parcels SET (compression = 'ZSTD')", "public.parcels public.parcels.by_note"},
		{"ALTER INDEX by_note RESET (compression)", "public.parcels"},
		{"ALTER TABLE parcels SET (shards = 4)", "public.parcels.parcels_pkey_ccnew"},
		{"DROP TABLE parcels", ""},
	} {
		if out, err := p.say(step.run); err != nil || strings.Contains(out, "no effect") {
			t.Fatal(step.run, out, err)
		}
		if got := strings.Join(st.names(t), " "); got != step.want {
			t.Errorf("%s: dense are %q, want %q", step.run, got, step.want)
		}
	}
}
