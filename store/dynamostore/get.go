package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/internal/routine"
	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// maxGet is how many keys one BatchGetItem takes, all different.
const maxGet = 100

// overlayKey is a whole key, to find an item by.
func overlayKey(s *store.Space, k store.Key) string {
	return string(overlay.AppendKey(nil, s.Home(), k))
}

// Get implements store.Txn.
func (t *txn) Get(ctx context.Context, s *store.Space, ask *store.Get, out *types.Batch) ([]bool, error) {
	ctx, attempts := observe(ctx)
	defer attempts.tell(ask.Stats)
	if err := t.prepareRead(ctx); err != nil {
		return nil, err
	}
	if secondary(s) {
		return getSecondary(ctx, t, s, ask, out)
	}
	after := t.store.recent.count.Load()
	g := t.getter(s, ask)
	ids := make([]string, len(ask.Keys))
	for i, k := range ask.Keys {
		ids[i] = overlayKey(s, k)
		if _, asked := g.found[ids[i]]; asked {
			continue
		}
		if w, ok := t.own.Get([]byte(ids[i]), ask.At); ok {
			g.found[ids[i]] = w.Payload
		} else if err := g.ask(ids[i], k); err != nil {
			return nil, err
		}
	}
	err := g.get(ctx)
	ask.Stats.Add(&g.intents.stats)
	if err != nil {
		return nil, err
	}
	if t.validates(s) {
		if err := t.noteKeys(g, ask, ids); err != nil {
			return nil, err
		}
	}
	if ask.Remember {
		if err := t.rememberAll(g, ask, ids, after); err != nil {
			return nil, err
		}
	}
	return t.rows(g, ask, ids, out)
}

// rememberAll keeps the versions of what a Get has found that the transaction has not written.
func (t *txn) rememberAll(g *getter, ask *store.Get, ids []string, after uint64) error {
	before := len(t.reads.first)
	defer func() { ask.Stats.Remembered += int64(len(t.reads.first) - before) }()
	for _, at := range ids {
		if _, own := t.own.Get([]byte(at), ask.At); own {
			continue
		}
		err := t.rememberItem(g.space, at, g.found[at], seen{after: after}, ask.Latest)
		if err != nil && !errors.Is(err, store.ErrConflict) {
			err = garbage(g.table, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) getter(s *store.Space, ask *store.Get) *getter {
	strong := t.strong(s, ask.Remember)
	if o := s.Outside; o != nil {
		return &getter{store: t.store, space: s, table: o.Table, want: outsideProjection(s, ask.Columns, ask.Remember),
			strong: strong, stats: ask.Stats, found: make(map[string]item, len(ask.Keys))}
	}
	g := newGetter(t.store, s, newProjection(s, ask.Columns, ask.Remember || t.validates(s)), ask.Stats)
	g.strong, g.found = strong, make(map[string]item, len(ask.Keys))
	return g
}

// newGetter makes one for items of a space of our own as they are now.
func newGetter(s *Store, sp *store.Space, want projection, stats *store.Stats) *getter {
	table := s.table(sp)
	return &getter{store: s, space: sp, table: table, want: want, strong: true, stats: stats, found: map[string]item{},
		intents: resolver{store: s, table: table, want: want}}
}

// rows puts what a Get has found in the order of its keys.
func (t *txn) rows(g *getter, ask *store.Get, ids []string, out *types.Batch) ([]bool, error) {
	is := make([]bool, len(ids))
	for i, at := range ids {
		attributes, row := g.found[at], out.Add()
		if attributes == nil {
			continue
		}
		if err := g.decode(ask.Columns, attributes, row); err != nil {
			return nil, err
		}
		is[i] = true
		if ask.Hold {
			if err := t.hold(g.space, at, ask.Keys[i]); err != nil {
				return nil, err
			}
		}
		ask.Stats.Examined++
		ask.Stats.Items++
		ask.Stats.Bytes += int64(size(attributes))
	}
	return is, nil
}

// getter reads the committed items at some keys.
type getter struct {
	store   *Store
	space   *store.Space
	table   string
	stats   *store.Stats
	want    projection
	strong  bool
	keys    []item          // those to ask for, all different
	found   map[string]item // the answer: nil for a key that was asked for and has no item
	mu      sync.Mutex      // of stats and found
	intents resolver
}

// ask notes a key that is to be asked for. One that DynamoDB could not hold has no item.
func (g *getter) ask(id string, k store.Key) error {
	g.found[id] = nil
	if o := g.space.Outside; o != nil {
		attributes, ok, err := nativeItem(o, k)
		if ok && err == nil {
			g.keys = append(g.keys, attributes)
		}
		return err
	}
	attributes, err := encodeKey(g.space, k)
	switch {
	case noKey(err):
		return nil
	case err != nil:
		return fmt.Errorf("dynamodb: %w", err)
	}
	g.keys = append(g.keys, attributes)
	return nil
}

// key is that of an item.
func (g *getter) key(attributes item) (store.Key, error) {
	if o := g.space.Outside; o != nil {
		return nativeKey(o, attributes)
	}
	key, err := decodeKey(g.space, attributes)
	if err != nil {
		return key, garbage(g.table, err)
	}
	return key, nil
}

func (g *getter) decode(columns []int, attributes item, row types.Row) error {
	if g.space.Outside != nil {
		return decodeOutsideColumns(g.space, columns, attributes, row)
	}
	if err := decodeColumns(g.space, columns, attributes, row); err != nil {
		return garbage(g.table, err)
	}
	return nil
}

// failed is the error of a request that failed.
func (g *getter) failed(err error) error {
	if o := g.space.Outside; o != nil {
		return outsideError(o, err)
	}
	return readError(g.table, err)
}

// get asks for the keys, several batches at once.
func (g *getter) get(ctx context.Context) error {
	switch {
	case len(g.keys) == 1:
		return g.one(ctx, g.keys[0])
	case len(g.keys) <= maxGet:
		return g.chunk(ctx, g.keys)
	}
	team, ctx := routine.NewTeam(ctx, parallelScans)
	for from := 0; from < len(g.keys); from += maxGet {
		team.Start(func() error { return g.chunk(ctx, g.keys[from:min(from+maxGet, len(g.keys))]) })
	}
	return team.Wait()
}

// one asks for a single key, which is the least work for both sides.
func (g *getter) one(ctx context.Context, key item) error {
	if err := g.store.check(ctx); err != nil {
		return err
	}
	out, err := g.store.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &g.table, Key: key, ConsistentRead: &g.strong,
		ProjectionExpression: g.want.expression, ExpressionAttributeNames: g.want.names,
		ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		return g.failed(err)
	}
	g.count(out.ConsumedCapacity)
	if out.Item == nil {
		return nil
	}
	return g.take(ctx, []item{out.Item})
}

// chunk asks for up to maxGet keys. What an answer leaves out, for its size or for
// throttling, is asked for again; only throttling makes us wait.
func (g *getter) chunk(ctx context.Context, keys []item) error {
	for wait := g.store.patience(ctx, g.table); len(keys) > 0; {
		if err := g.store.check(ctx); err != nil {
			return err
		}
		out, err := g.store.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]ddb.KeysAndAttributes{g.table: {
				Keys: keys, ConsistentRead: &g.strong,
				ProjectionExpression: g.want.expression, ExpressionAttributeNames: g.want.names,
			}},
			ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			return g.failed(err)
		}
		g.count(refs(out.ConsumedCapacity)...)
		if err := g.take(ctx, out.Responses[g.table]); err != nil {
			return err
		}
		left := out.UnprocessedKeys[g.table].Keys
		if len(left) > len(keys) {
			return garbage(g.table, errors.New("more keys are unprocessed than were asked for"))
		}
		if err := wait.after(ctx, len(keys), left); err != nil {
			return err
		}
		keys = left
	}
	return nil
}

// take takes items of an answer, which must be among those asked for.
func (g *getter) take(ctx context.Context, answer []item) error {
	if g.space.Outside == nil {
		for i := range answer {
			var err error
			if answer[i], err = g.intents.resolve(ctx, answer[i]); err != nil {
				return err
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, attributes := range answer {
		if attributes == nil {
			continue
		}
		if g.space.Outside != nil && !ofKind(g.space, attributes) {
			continue
		}
		key, err := g.key(attributes)
		if err != nil {
			return err
		}
		id := overlayKey(g.space, key)
		if _, asked := g.found[id]; !asked {
			return garbage(g.table, errors.New("an item has a key that was not asked for"))
		}
		g.found[id] = attributes
	}
	return nil
}

func (g *getter) count(consumed ...*ddb.ConsumedCapacity) {
	g.mu.Lock()
	defer g.mu.Unlock()
	countRead(g.stats, consumed...)
}
