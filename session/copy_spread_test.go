package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zproxy/store"
	"zproxy/store/memstore"
)

// loadWatch is a store that notes the partitions to which the parts of a load write. The parts
// commit once as many are at work as are wanted, or no more come.
type loadWatch struct {
	store.Store
	mu     sync.Mutex
	on     bool
	wanted int
	open   int
	most   int           // that were open at once
	enough chan struct{} // closed when there were as many
	parts  []map[string]int
}

func (s *loadWatch) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	txn, err := s.Store.Begin(ctx, m)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.on || err != nil {
		return txn, err
	}
	return &watchedLoad{Txn: txn, of: s}, nil
}

type watchedLoad struct {
	store.Txn
	of      *loadWatch
	written map[string]int
}

func (t *watchedLoad) Put(s *store.Space, item store.Item, g store.Guard) error {
	if t.written == nil {
		t.written = map[string]int{}
		t.of.opened()
	}
	t.written[string(item.Key.Partition)]++
	return t.Txn.Put(s, item, g)
}

func (s *loadWatch) opened() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	if s.most = max(s.most, s.open); s.open == s.wanted {
		s.wanted = 0
		close(s.enough)
	}
}

func (t *watchedLoad) Commit(ctx context.Context) error {
	if t.written == nil {
		return t.Txn.Commit(ctx)
	}
	select {
	case <-t.of.enough:
	case <-time.After(5 * time.Second):
	}
	t.of.mu.Lock()
	t.of.open--
	t.of.parts = append(t.of.parts, t.written)
	t.of.mu.Unlock()
	return t.Txn.Commit(ctx)
}

const (
	loadedCards  = 16
	loadedOfCard = 250
)

// sortedPurchases are those of some cards, in the order of a primary key that begins with the card.
func sortedPurchases() string {
	var b strings.Builder
	for card := range loadedCards {
		for order := range loadedOfCard {
			fmt.Fprintf(&b, "%d\ta%d\t%d\t%d\n", 6777+card, 100+order%3, 16+order%7, 200_001+order)
		}
	}
	return b.String()
}

// load copies the purchases, and gives for each part how many of its rows are in each partition.
func (s *loadWatch) load(t *testing.T, options string, workers int) []map[string]int {
	t.Helper()
	db, err := Open(t.Context(), s, Options{Settings: map[string]string{"zproxy.ttl_interval": "0",
		"zproxy.advice": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	c := connect(t, db, "joe")
	accepted(t, c, "CREATE TABLE purchases (cardid int, sellerid text, deviceid int, ordernumber int8, PRIMARY KEY (cardid, sellerid, deviceid, ordernumber))")
	watch := func(on bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.on, s.wanted, s.enough = on, workers, make(chan struct{})
	}
	watch(true)
	data := &loader{data: strings.NewReader(sortedPurchases())}
	if err := c.Query(t.Context(), "COPY purchases FROM STDIN WITH ("+options+")", data); err != nil ||
		data.tag != "COPY 4000" {
		t.Fatalf("%v, %s", err, data.tag)
	}
	watch(false)
	if got := answer(t, c,
		"SELECT count(*), count(DISTINCT cardid), sum(ordernumber) FROM purchases"); got[0] != "4000 16 800502000" {
		t.Errorf("%v", got)
	}
	return s.parts
}

// TestLoadSpreadsSortedRows copies rows in the order of their primary key. tablestore-26: written in that
// order they go to one partition after the other. tablestore-27, tablestore-28: with the order broken, and
// the small sets that remain given to several workers, all of which write at once, each set goes to all
// partitions.
func TestLoadSpreadsSortedRows(t *testing.T) {
	for _, c := range []struct {
		options string
		workers int
		spread  bool
	}{
		{"workers 1, shuffle off", 1, false},
		{"workers 1", 1, true},
		{"workers 4", 4, true},
		{"workers 4, shuffle off", 4, false},
	} {
		t.Run(c.options, func(t *testing.T) {
			s := &loadWatch{Store: memstore.New(memstore.Options{Unordered: true, MostTogether: 100})}
			parts := s.load(t, c.options, c.workers)
			if s.most != c.workers {
				t.Errorf("%d parts were written at once, want %d", s.most, c.workers)
			}
			for _, part := range parts {
				rows, largest := 0, slices.Max(slices.Collect(maps.Values(part)))
				for _, n := range part {
					rows += n
				}
				even := rows / loadedCards
				switch {
				case c.spread && (len(part) < loadedCards || largest > 2*even):
					t.Errorf("%d rows went to %d of %d partitions, %d of them to one", rows, len(part), loadedCards,
						largest)
				case !c.spread && len(part) > rows/loadedOfCard+1:
					t.Errorf("%d rows in order went to %d partitions", rows, len(part))
				}
			}
			t.Logf("%d parts, the first of them %v", len(parts), slices.Collect(maps.Values(parts[0])))
		})
	}
}
