package lock

import (
	"math/rand/v2"
	"testing"

	"zproxy/internal/testseed"
)

// TestTakeRows wants many rows to be locked up to the first that another owner has, as one by one, and none behind it.
func TestTakeRows(t *testing.T) {
	dice := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 300 {
		m := NewManager()
		a, b := m.NewOwner(1), m.NewOwner(2)
		rows := func(n int) (tags []Tag) {
			for range n {
				tags = append(tags, Tag{Class: Row, Space: 1 + dice.Uint64N(2), Key: dice.Uint64N(600)})
			}
			return tags
		}
		has := map[Tag]bool{}
		for _, tag := range rows(dice.IntN(4)) {
			if _, err := b.Acquire(Wait{}, tag, NoKeyUpdate, NoWait); err != nil {
				t.Fatal(err)
			}
			has[tag] = true
		}
		if dice.IntN(10) == 0 && !m.escalate(t, b, has) {
			continue
		}
		mine := map[Tag]bool{}
		for range 3 {
			tags := rows(1 + dice.IntN(200))
			already, want := make([]bool, len(tags)), len(tags)
			n, err := a.TakeRows(tags, Update, already)
			if err != nil {
				t.Fatal(err)
			}
			if m.escalations.Load() > 0 {
				want = 0
			}
			for i, tag := range tags {
				if has[tag] {
					want = min(want, i)
				}
			}
			if n != want {
				t.Fatalf("%d of %d rows, want %d", n, len(tags), want)
			}
			for i, tag := range tags[:n] {
				if already[i] != mine[tag] {
					t.Fatalf("row %d was already there: %v", i, already[i])
				}
				mine[tag] = true
			}
			for _, tag := range tags {
				if held := a.modesOf(tag) != 0; held != mine[tag] {
					t.Fatalf("%+v is locked: %v", tag, held)
				}
			}
		}
		if a.Held() != len(mine) {
			t.Fatalf("%d locks of %d rows", a.Held(), len(mine))
		}
		a.ReleaseWritten()
		b.RollbackTo(0)
		if n := m.held(); a.Held() > 0 || n > 0 {
			t.Fatalf("%d and %d locks are left", a.Held(), n)
		}
	}
}

// escalate lets an owner have all rows of a space of which it has some.
func (m *Manager) escalate(t *testing.T, o *Owner, has map[Tag]bool) bool {
	t.Helper()
	for tag := range has {
		return o.escalateSpace(tag.Space)
	}
	return false
}

// held is how many entries there are.
func (m *Manager) held() (n int) {
	for i := range m.shards {
		for range m.shards[i].entries() {
			n++
		}
	}
	return n
}

// TestShard compares a shard with a map, where many tags have few hashes.
func TestShard(t *testing.T) {
	dice := rand.New(rand.NewPCG(testseed.Of(t), 0))
	s, want := &shard{}, map[Tag]*entry{}
	few := 1 + dice.Uint64N(200)
	for i := range 50_000 {
		tag := Tag{Class: Row, Key: dice.Uint64N(400)}
		hash := tag.Key % few * (1 + few%7)
		switch e := want[tag]; {
		case s.find(tag, hash) != e:
			t.Fatalf("step %d: %v is %v, want %v", i, tag, s.find(tag, hash), e)
		case e != nil:
			delete(want, tag)
			s.tidy(e)
		default:
			want[tag] = s.entry(tag, hash)
		}
		if s.count != len(want) {
			t.Fatalf("step %d: %d entries, want %d", i, s.count, len(want))
		}
	}
}
