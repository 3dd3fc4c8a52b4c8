package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// The items of TestOutsideTogether: some have counters, and others balances, as one row of ours has.
const togetherCounters, togetherBalances = 2, 2

// bothSides is a table that we and another program write at the same time.
type bothSides struct {
	t       *testing.T
	sdk     *dynamodb.Client
	items   *store.Space // with a number n; hits is an attribute without a column
	rows    *store.Space // of ours
	mu      sync.Mutex
	added   [togetherCounters]outcomes
	hits    [togetherCounters]outcomes
	moved   outcomes
	refused int
}

// TestOutsideTogether has other programs write the items that transactions write, through a service that fails or
// not. In the end all that was acknowledged was done once, and sums of what transactions move are what they were.
func TestOutsideTogether(t *testing.T) {
	first := testseed.Of(t)
	for n := range *outsideRuns {
		seed := first + uint64(n)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { outsideTogether(t, rand.New(rand.NewPCG(seed, 5)), n%3) })
		})
	}
}

func outsideTogether(t *testing.T, r *rand.Rand, faults int) {
	f := dynamofake.New(dynamofake.Options{Seed: r.Uint64()})
	defer f.Close()
	w := newTogether(t, f)
	often := func() float64 { return r.Float64() * 0.15 * float64(r.IntN(2)) }
	switch faults {
	case 1:
		f.SetFaults(dynamofake.Faults{Throttle: 0.1, ErrorBefore: 0.1, ErrorAfter: 0.1, Conflict: 0.1})
	case 2:
		f.SetFaults(dynamofake.Faults{Throttle: often(), ErrorBefore: often(), ErrorAfter: often(), CutBefore: often(),
			CutAfter: often(), Delay: often(), Conflict: often(), Cancel: often(), InProgress: often()})
	}
	var clients sync.WaitGroup
	for i := range 6 {
		r := rand.New(rand.NewPCG(r.Uint64(), uint64(i)))
		s := openOn(t, f, fmt.Sprint("client ", i%2))
		clients.Go(func() {
			for range 30 {
				if i%2 == 0 {
					w.write(s, r)
				} else {
					w.writeElsewhere(r)
				}
				pause(r)
			}
		})
	}
	clients.Wait()
	f.EndFaults()
	w.check(openOn(t, f, "steady"))
}

// pause lets others write.
func pause(r *rand.Rand) { time.Sleep(time.Duration(r.Int64N(int64(20 * time.Millisecond)))) }

func newTogether(t *testing.T, f *dynamofake.Fake) *bothSides {
	t.Helper()
	w := &bothSides{t: t, rows: items(2), sdk: dynamodb.New(dynamodb.Options{
		Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:1"), Retryer: aws.NopRetryer{},
		HTTPClient: f.Client("other"), Credentials: aws.AnonymousCredentials{},
	})}
	w.rows.Columns[0].Type = types.Int8
	s := openOn(t, f, "steady")
	name := "Counters"
	_, err := w.sdk.CreateTable(t.Context(), &dynamodb.CreateTableInput{TableName: &name,
		KeySchema: schema("p", "")[:1], BillingMode: ddb.BillingModePayPerRequest, AttributeDefinitions: []ddb.AttributeDefinition{
			{AttributeName: aws.String("p"), AttributeType: "N"}}})
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Describe(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	table.Rows = 1
	w.items = &store.Space{ID: 1, Name: name, Outside: &table.Outside, Columns: []store.Column{
		{Name: "p", Type: types.Numeric}, {Name: "n", Type: types.Int8}}}
	for i := range togetherCounters + togetherBalances {
		if _, err := w.sdk.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item{
			"p": inN(fmt.Sprint(i)), "n": inN("0"), "hits": inN("0"),
		}}); err != nil {
			t.Fatal(err)
		}
	}
	tx := begin(t, s)
	if err := errors.Join(s.Create(t.Context(), w.rows), tx.Put(w.rows, numberedItem(0, 0), store.Absent),
		tx.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *bothSides) keyOf(n int) store.Key {
	k, err := nativeKey(w.items.Outside, item{"p": inN(fmt.Sprint(n))})
	if err != nil {
		w.t.Fatal(err)
	}
	return k
}

// add adds to a number of an item, or for none to that of our row.
func (w *bothSides) add(ctx context.Context, tx store.Txn, n, more int) error {
	s, k, column := w.items, w.keyOf(n), 1
	if n == togetherCounters+togetherBalances {
		s, k, column = w.rows, key(0), 0
	}
	out := types.NewBatch(1)
	ask := &store.Get{Keys: []store.Key{k}, Columns: []int{column}, Remember: true, Stats: &store.Stats{}}
	if _, err := tx.Get(ctx, s, ask, out); err != nil {
		return err
	}
	i := store.Item{Key: k, Values: []types.Value{types.NewInt(out.Row(0)[0].Int() + int64(more))}}
	if s == w.items {
		p, _ := types.ParseText(fmt.Sprint(n), types.Numeric, nil)
		i.Values = []types.Value{p, i.Values[0]}
	}
	return tx.Put(s, i, store.Unchanged)
}

// write makes a transaction that counts, or that moves something from one balance to another.
func (w *bothSides) write(s *Store, r *rand.Rand) {
	n, from, to := r.IntN(togetherCounters), r.IntN(togetherBalances+1), r.IntN(togetherBalances)
	if to >= from {
		to++
	}
	counts := r.IntN(2) == 0
	for range 20 {
		ctx, done := context.WithTimeout(w.t.Context(), 5*time.Second)
		tx, err := s.Begin(ctx, store.Mode{Serializable: r.IntN(3) == 0})
		if err != nil {
			w.t.Error(err)
		}
		if counts {
			err = w.add(ctx, tx, n, 1)
		} else {
			err = errors.Join(w.add(ctx, tx, togetherCounters+from, -1), w.add(ctx, tx, togetherCounters+to, 1))
		}
		pause(r)
		if err == nil {
			err = tx.Commit(ctx)
		} else if errors.Is(err, store.ErrUnknown) {
			w.t.Error(err)
		}
		done()
		of := &w.moved
		if counts {
			of = &w.added[n]
		}
		if !w.note(of, err) {
			return
		}
	}
}

// note counts what became of a write, and says whether it was surely not made.
func (w *bothSides) note(of *outcomes, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil:
		of.done++
		return false
	case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrBusy), errors.Is(err, store.ErrTooLarge):
		w.refused++
		return true
	case errors.Is(err, store.ErrUnknown):
		of.unknown++
	case errors.Is(err, store.ErrUnreachable), errors.Is(err, context.DeadlineExceeded):
	default:
		w.t.Errorf("%v", err)
	}
	return false
}

// writeElsewhere counts as another program does, either what has no column or what we count.
func (w *bothSides) writeElsewhere(r *rand.Rand) {
	n := r.IntN(togetherCounters)
	in := &dynamodb.UpdateItemInput{TableName: &w.items.Name, Key: item{"p": inN(fmt.Sprint(n))}}
	of := &w.hits[n]
	if r.IntN(2) == 0 {
		in.UpdateExpression = aws.String("ADD hits :one")
		in.ExpressionAttributeValues = item{":one": inN("1")}
	} else {
		of = &w.added[n]
		answer, err := w.sdk.GetItem(w.t.Context(), &dynamodb.GetItemInput{TableName: &w.items.Name, Key: in.Key,
			ConsistentRead: aws.Bool(true)})
		if err != nil {
			return
		}
		var now int
		_, _ = fmt.Sscan(shown(answer.Item["n"]), &now)
		pause(r)
		in.UpdateExpression, in.ConditionExpression = aws.String("SET n = :new"), aws.String("n = :old")
		in.ExpressionAttributeValues = item{":old": inN(fmt.Sprint(now)), ":new": inN(fmt.Sprint(now + 1))}
	}
	_, err := w.sdk.UpdateItem(w.t.Context(), in)
	var known smithy.APIError
	w.mu.Lock()
	defer w.mu.Unlock()
	var answered interface{ HTTPStatusCode() int }
	switch {
	case err == nil:
		of.done++
	case errors.As(err, &known) && errors.As(err, &answered) &&
		answered.HTTPStatusCode() < http.StatusInternalServerError:
	default:
		of.unknown++
	}
}

// check reads everything when all has come to its end.
func (w *bothSides) check(s *Store) {
	out := types.NewBatch(1)
	_, err := begin(w.t, s).Get(w.t.Context(), w.rows,
		&store.Get{Keys: []store.Key{key(0)}, Columns: []int{0}, Stats: &store.Stats{}}, out)
	if err != nil {
		w.t.Fatal(err)
	}
	sum := int(out.Row(0)[0].Int())
	for n := range togetherCounters + togetherBalances {
		answer, err := w.sdk.GetItem(w.t.Context(), &dynamodb.GetItemInput{TableName: &w.items.Name,
			Key: item{"p": inN(fmt.Sprint(n))}, ConsistentRead: aws.Bool(true)})
		if err != nil {
			w.t.Fatal(err)
		}
		var now, hits int
		_, _ = fmt.Sscan(shown(answer.Item["n"]), &now)
		_, _ = fmt.Sscan(shown(answer.Item["hits"]), &hits)
		if n >= togetherCounters {
			sum += now
			continue
		}
		if a := w.added[n]; now < a.done || now > a.done+a.unknown {
			w.t.Errorf("counter %d is %d after %+v", n, now, a)
		}
		if a := w.hits[n]; hits < a.done || hits > a.done+a.unknown {
			w.t.Errorf("hits of %d are %d after %+v", n, hits, a)
		}
	}
	if sum != 0 {
		w.t.Errorf("the sum is %d", sum)
	}
	w.t.Logf("added %v, hits %v, moved %v, %d refused", w.added, w.hits, w.moved, w.refused)
}
