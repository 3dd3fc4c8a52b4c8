// Package store is the key-value contract that zproxy's tables and indexes stand on.
// It knows items, keys and typed column values, and no SQL.
//
// A space holds the items of one table or one index in key order. A transaction reads
// one state of the store, plus its own writes, and commits its writes at once or not
// at all.
package store

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"time"

	"zproxy/encoding/span"
	"zproxy/store/eventual"
	"zproxy/store/late"
	"zproxy/store/nesting"
	"zproxy/store/together"
	"zproxy/types"
)

// SpaceID is the number of a space. It is never used again after a drop.
type SpaceID uint64

// Column is one typed value of the items of a space.
type Column struct {
	ID   uint32 // stable; a store that keeps its own format finds the value by it
	Name string // a store whose items other programs read names the attribute so
	Type types.T
	// Missing is the value of items that were written without the column. An item that
	// was written with NULL in it keeps that.
	Missing types.Value
	// NotNull promises that no item has NULL, at any time. A store in which other programs may
	// write fails to read one that does.
	NotNull bool
}

// Space says how the items of a space look. It is a value that callers make from their
// catalog and hand over with every call, so a store need not remember it. Columns may
// grow and shrink between calls; an item written before has Missing in a new column.
type Space struct {
	ID      SpaceID
	Name    string // unique among the spaces of a store, of letters, digits, '_', '-' and '.'
	Columns []Column
	Sorted  bool // keys have a sort part; without one Key.Sort is always empty
	// Outside, if not nil, are items of other programs, in a store that is an Outsider.
	Outside *Outside
	// Capacity is what a store that is paid by it provides. Create and AlterSpace read it.
	Capacity Capacity
	// Dense says that the items are to take less room, though they then take longer to write, and to read. Create and
	// AlterSpace read it.
	Dense bool
	// Expiry says when items are not found any more; nil: never.
	Expiry *Expiry
	// Reserved says that the items are few and small, and that others cannot be understood without them: they may
	// take of the room that is kept free, and a store that can lose a part of itself keeps them twice.
	Reserved bool
	// Base, if not 0, is the space of a table with that name, of whose items this is an index that the store keeps: its
	// items follow those, later. Nothing is written to it, and reads with Remember are refused.
	Base     SpaceID
	BaseName string
	// Carries are such indexes of this space. Behind the values of its columns an item has two for each: the parts of
	// its key there, as bytes, or NULL for no key.
	Carries []SpaceID
	// KeyKinds say what the partition and the sort part of keys are, KindText or KindInt: one value in the bytes of
	// encoding/ordered, which a store that other programs read keeps as such. Zero: they are bytes.
	KeyKinds [2]types.Kind
	// Eventual says that reads may miss the last commits, where Mode.Eventual leaves that to the space.
	Eventual bool
	// Host is the space in which the items lie, together with those of others; nil: they lie in a space of their own.
	Host *nesting.Host
}

// Capacity is what a space may be asked for each second, in the units of Stats. The zero
// Capacity is paid for by request, with no bounds but the store's own.
type Capacity struct {
	// ReadUnits and WriteUnits are paid for whether they are used or not; both are 0 where each
	// request is paid for.
	ReadUnits, WriteUnits int64
	// MostReadUnits and MostWriteUnits bound what is paid for by request; 0: nothing does.
	MostReadUnits, MostWriteUnits int64
	// WarmReadUnits and WarmWriteUnits are what the space is to be ready for; 0: what the store likes.
	WarmReadUnits, WarmWriteUnits int64
	// Infrequent says that items are seldom read and written: keeping them is to be cheap, and reading may be dear.
	Infrequent bool
}

// Provisioned says whether capacity is paid for whether it is used or not.
func (c Capacity) Provisioned() bool { return c.ReadUnits > 0 }

// Expiry says when items are not found any more: some time after the value of a column, which is of
// type date, timestamp, in UTC, or timestamptz. A store may remove such items, each by itself and
// at any time from then on, and says in its Capabilities if it does.
type Expiry struct {
	Column int   // its ordinal in Space.Columns, or NoColumn: items that are written now are to stay
	After  int64 // microseconds
	// Number tells one rule from those before it: items that were written under another one stay.
	Number uint32
}

// Key names an item. Partition and Sort are ordered as unsigned bytes. No
// partition of a space is a proper prefix of another, so Partition followed by Sort
// is unambiguous too.
type Key struct{ Partition, Sort []byte }

// Item is a key and the values of the space's columns, in their order.
type Item struct {
	Key    Key
	Values []types.Value
}

// Range is an interval of keys: those with From <= key < To. A nil To has no end.
//
// With a Partition the bounds are sort keys in that partition. Without one (nil) the
// range runs over partitions and the bounds are Partition followed by Sort; a store
// whose partitions have no order accepts that only without bounds.
type Range struct {
	Partition []byte
	From, To  []byte
	// Segments, without a Partition and bounds, are in how many parts the partitions are, all about as large, of which
	// the range is that of number Segment; 0: it is all of them. Only where Capabilities have Segments.
	Segment, Segments int
}

// Whole says whether a range is everything in its space.
func (r Range) Whole() bool { return r.Partition == nil && len(r.From) == 0 && r.To == nil }

// Begin is the range of a scan on a store that reads whole spaces in the order of keys.
func (r *Scan) Begin() Range {
	if r.After != nil {
		return Range{From: append(slices.Concat(r.After.Partition, r.After.Sort), 0)}
	}
	return r.Range
}

// Beyond is what is left of a range for a scan that is done with the item at key, which is
// given by the bytes that bounds are made of.
func (r Range) Beyond(key []byte, reverse bool) Range {
	if reverse {
		r.To = bytes.Clone(key)
	} else {
		r.From = append(bytes.Clone(key), 0)
	}
	return r
}

// Skipper knows which keys between the ends of a range are wanted, such as those inside
// a Z-order box. It sees the bytes that the range's bounds are made of.
type Skipper interface {
	// Wanted says whether the item at a key may be wanted.
	Wanted(key []byte) bool
	// Next appends the smallest key that may be wanted and is not below key. It says
	// false when there is none. It may be called with any key.
	Next(dst, key []byte) ([]byte, bool)
}

// EvenSkipper is a Skipper that may know of its keys that they lie about as densely as others
// near by, when their bytes are read as numbers: so do addresses on a curve. How far it is to the
// next wanted key then says about how many keys are before it.
type EvenSkipper interface {
	Skipper
	Even() bool
	// WantsAll says whether so many keys, from one that is wanted to another, are wanted for sure,
	// as are all that may lie between the two.
	WantsAll(from, to []byte, keys int) bool
}

// Scan asks for the items in a range in key order, or in descending order.
type Scan struct {
	Range   Range
	Columns []int // the columns to deliver, by their ordinals in Space.Columns, or NoColumn
	// After lets a scan of a whole space go on behind the item of a key, which need not be there
	// any more, in the order in which the store reads whole spaces; nil: it begins at the front.
	// The transaction has no writes of its own in the space.
	After   *Key
	Reverse bool
	// Enough is how many items will probably do; 0: unknown. A batch ends there, and
	// with each quarter more; a remote store asks for no more at first, then for as many again.
	Enough int
	Skip   Skipper // nil: every key in the range is wanted. With Reverse there are no jumps.
	// Filter are tests of which the store may apply any: an item that does not pass may be left
	// out, though its key counts as examined if it was read. The transaction's own items need not be tested.
	// However much is left out, batches come, if with no items, so that who reads sees what is examined;
	// only a turn has its one batch.
	Filter []Test
	filtered
	further
	// Keys is told the key of each item, in their order and before the batch with it is
	// delivered; nil: it is not asked for. The key is good for calls to the store that it came from:
	// a range over partitions may have it whole as its Partition. It may be kept.
	Keys func(Key)
	sampled
	// Shared, if not nil, has items of the Range among those of other scans, or is to read them.
	Shared *together.Page
	// Remember says that items read may be written with the guard Unchanged.
	Remember bool
	At       *Mark  // of the transaction's writes those before it are seen; nil: all
	Stats    *Stats // added to as the scan goes; never nil
}

// filtered says more of items that conditions leave out.
type filtered struct {
	// Each is how many keys are probably examined for one item that passes the Filter; below 1:
	// unknown. A remote store that applies the Filter and is asked for Enough items lets its first page
	// examine as many keys as these take.
	Each float64
	// Late says how to leave out items by some of their columns, which then count as Filtered; a store may deliver all
	// of them all the same. Nil: there is no way.
	Late *late.Columns
}

// sampled says of which items of a scan keys are told besides.
type sampled struct {
	// Sample is told the key of an item, as Keys is, and says how many items come before the next one of which it is
	// told; nil: of none. It may be told of some that are left out by Filter or Late.
	Sample func(Key) (skip int)
	// Unsampled is how many items come before the first of which it is told.
	Unsampled int
}

// Pass is called by a store that finds items, with how many they are and what gives the key of one of them.
func (s *sampled) Pass(items int, key func(i int) Key) {
	if s.Sample == nil {
		return
	}
	at := s.Unsampled
	for at < items {
		at += 1 + s.Sample(key(at))
	}
	s.Unsampled = at - items
}

// further are the other ranges of a scan; none: it reads one.
type further struct {
	// Next lets a scan read several ranges by turns; nil: it reads one. A turn makes one batch,
	// of Enough items but no more than BatchRows, or of fewer, perhaps none, at the end of its
	// range. Behind the batch Next gets the rest of the range, which says nothing at its end,
	// and tells with what range to go on, and how many items of it are Enough. No turn sees
	// writes during the scan. Not over partitions that have no order.
	Next func(rest Range) (then Range, enough int)
	// Then lets a scan read several ranges as one: it gives the next when all of the one before is read; nil: there is
	// one. A batch may have items of several. All have a Partition if the first has. Not with After, Reverse, Enough or
	// Next, and not over partitions that have no order.
	Then func() (then Range, more bool)
	// Many is how many ranges Then probably gives.
	Many int
}

// NoColumn in place of a column to deliver is NULL in every row.
const NoColumn = -1

// Test says of a column what its value must be.
type Test struct {
	Column int // its ordinal in Space.Columns
	Set    span.Set
}

// Get asks for the items at some keys.
type Get struct {
	Keys    []Key
	Columns []int // as in Scan
	// Remember says that what was found may be written to with the guard Unchanged, be it an item
	// or none.
	Remember bool
	// Hold says, with Remember, that the items which are found must be at the commit as they were found, unless the
	// transaction writes them itself. Any number of transactions may hold an item at once. One that writes it and
	// began before the commit of one that held it is an ErrConflict, and the other way round.
	Hold  bool
	At    *Mark // as in Scan
	Stats *Stats
	// Stale is how old the answer may be: it may be what was there at any time since. 0: what the transaction sees.
	Stale time.Duration
	// Latest asks for what is committed now. Where the transaction has written it is what it wrote. With Remember,
	// Renewed means as it was found now; without Snapshots two that find different items are an ErrConflict.
	Latest bool
}

// Stats counts what a read cost.
type Stats struct {
	Requests int64 // round trips, or for an embedded store ranges, turns and gets
	Examined int64 // keys that the store passed over or delivered
	Items    int64 // items delivered
	Filtered int64 // items that were left out for a Filter
	Unread   int64 // blocks of items that were left out for a Filter without reading them
	Seeks    int64 // jumps inside a range, by a Skipper
	Pages    int64 // pages of a remote store
	Bytes    int64 // bytes of keys and values delivered
	// ReadUnits and WriteUnits are DynamoDB's, where the store is charged so.
	ReadUnits, WriteUnits float64
	Throttled             int64 // attempts at requests that were refused for the load and made again
	// CacheHits and CacheMisses are keys of a Get that could be answered from a cache, and those that were not.
	CacheHits, CacheMisses int64
	Remembered             int64 // items of which a transaction keeps in memory what it has found
	Lost                   int64 // writes that may still be carried out, a second time, though they are committed
}

// Add adds what another read cost.
func (s *Stats) Add(o *Stats) {
	s.Requests += o.Requests
	s.Examined += o.Examined
	s.Items += o.Items
	s.Filtered += o.Filtered
	s.Unread += o.Unread
	s.Seeks += o.Seeks
	s.Pages += o.Pages
	s.Bytes += o.Bytes
	s.ReadUnits += o.ReadUnits
	s.WriteUnits += o.WriteUnits
	s.Throttled += o.Throttled
	s.Lost += o.Lost
	s.CacheHits += o.CacheHits
	s.CacheMisses += o.CacheMisses
	s.Remembered += o.Remembered
}

// Guard is what must hold when a write is committed, else the commit is ErrConflict.
type Guard uint8

// The guards.
const (
	Always    Guard = iota // nothing: the write is guarded by another write of its transaction, or by a lock
	Absent                 // there is no item at the key
	Unchanged              // what is at the key is as a read with Remember in this transaction found it, also nothing
	// Renewed is Unchanged for a write whose value was computed from what a Get of the Latest has found. In a store
	// without Snapshots Unchanged goes on to mean what the first read has found.
	Renewed
	// Loose is as Always, but the write may be made apart from those with other guards: a put
	// before them, so that it may stay when they fail, and a delete after them, so that it may
	// get lost. A delete takes nothing that others may have put for a write of theirs that is still
	// to come, but only what was written together with an item that this transaction replaces or
	// deletes, or what is too old for that. A store that says so in its Capabilities makes it cheaper then.
	Loose
	// Blind is that of the only write of its transaction at a key, which has not looked what is there: a put takes the
	// place of an item that is older than it, or of none, and a delete is of an item that there must be.
	Blind
)

// Mode says what a transaction is for.
type Mode struct {
	ReadOnly bool
	// Bulk writes are for spaces that are not read yet: no guard, no conflict, and a
	// commit may return before it is durable. The next commit that is not bulk makes
	// it durable too.
	Bulk bool
	// Eventual says which reads may miss the last commits.
	Eventual eventual.Reads
	// Validated says, without Snapshots, that reads are noted for Txn.Validate.
	Validated bool
	// As, if not nil, is a pinned mark of a transaction that has not ended: what was committed is seen as reads at the
	// mark see it. Only with Snapshots. A write may be an ErrConflict without need if that transaction is ReadOnly, or
	// was refreshed since.
	As *Mark
	// Serializable says, without Snapshots, that Commit validates all reads, too: they and the writes are of one
	// moment, or that is an ErrConflict.
	Serializable bool
	// Stale says that reads which may be Stale need not be of one state with the others of the transaction.
	Stale bool
	// NonAtomic says that each write stands for itself, with its guard: there may be any number of
	// them, and a commit that fails may have made some. Loose ones come first and last as ever.
	NonAtomic bool
	// Stats are added to by Commit: what the writes cost; nil: they are not counted.
	Stats *Stats
	// Applied, if set, is called by a Commit whose writes are the Latest and cannot be undone, but may not be durable
	// yet. A store whose commits become durable in another order than they are applied does not call it.
	Applied func()
	// Decide makes the context of the requests of a Commit that make writes visible, or says why there must be none
	// any more. A store whose Commit takes long for other requests calls it when it comes to these; nil: it is the
	// context of the Commit.
	Decide func(context.Context) (context.Context, context.CancelFunc, error)
}

// Deciding makes the context of the requests that make writes visible.
func (m *Mode) Deciding(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if m.Decide == nil {
		return ctx, func() {}, nil
	}
	return m.Decide(ctx)
}

// Capabilities are what the planner and the executor must know of a store.
type Capabilities struct {
	// OrderedPartitions says that a range may run over partitions in key order.
	OrderedPartitions bool
	// RangePrice is what one more range or jump costs, in rows read.
	RangePrice float64
	// RangeRequests says that a range, and each jump inside one, is a request that is waited for:
	// ranges are better worked out beforehand, and read at once.
	RangeRequests bool
	// Units says that reads are charged in read units, so that costs are shown in them.
	Units bool
	// Loose says that writes with the guard Loose are cheaper than others.
	Loose bool
	// MostTogether is how many items a transaction writes by one request, unless they are NonAtomic, or Loose where
	// that makes them cheaper. More take requests for each; 0: it makes no difference.
	MostTogether int
	// MostPartition and MostSort are how many bytes the parts of a key may have; 0: any number.
	MostPartition, MostSort int
	// Expires says that the store removes items that are Expiry.
	Expires bool
	// Filters is from how many rows on, that a scan is thought to read, tests save work: the store applies those that
	// it can; 1: from any number on, 0: none.
	Filters float64
	// Snapshots says that all reads of a transaction see one state of the store, that of Begin or of the last
	// Refresh, and that what is Unchanged was not written since, also not as it was.
	Snapshots bool
	// Dense says that spaces which are Dense take less room than others.
	Dense bool
	// Parallel is how many scans of one transaction at once are faster than one after the
	// other; 1 where waiting is not what they spend their time with.
	Parallel int
	// Segments is in how many parts a space is best read at once; 0: a Range has none.
	Segments int
	// Follows says that the store can keep indexes by itself: see Space.Base.
	Follows bool
}

// Divides says that ranges are worth dividing for scans at once: it is the processors of this machine that they wait
// for.
func (c *Capabilities) Divides() bool { return c.OrderedPartitions && c.Parallel == 1 }

// Store holds spaces. All methods may be called by several goroutines.
type Store interface {
	// Create makes an empty space. A space that is there already is not an error, since
	// a create whose answer was lost is repeated.
	Create(ctx context.Context, s *Space) error
	// Drop removes a space and its items. A space that is not there is not an error.
	Drop(ctx context.Context, s *Space) error
	// Spaces lists the spaces that are there: numbers and names only.
	Spaces(ctx context.Context) ([]Space, error)
	// Begin starts a transaction, which must be ended by Commit or Rollback.
	Begin(ctx context.Context, m Mode) (Txn, error)
	// Capabilities never change.
	Capabilities() Capabilities
	// Close waits for nothing: transactions that are open fail with ErrClosed.
	Close() error
}

// Txn is one transaction, used by one goroutine at a time, but for reads: any number of
// Scans and Gets without Remember may run at once, each with Stats of its own, between two
// calls of other methods. A Bulk transaction has no such reads. Reads see the store as it
// was at Begin or at the last Refresh, if it has Snapshots, and the transaction's own writes.
type Txn interface {
	marker
	Viewer
	validator
	adopter
	divider
	// Scan yields the items of a range in batches; the batch is the store's and is
	// reused, its values may be kept, and its rows swapped for others. An error is the last thing that it yields.
	// Stopping early releases what the scan holds. Writes during a scan are not seen
	// by it.
	Scan(ctx context.Context, s *Space, r *Scan) iter.Seq2[*types.Batch, error]
	// Get appends one row for each key to out, in their order. The answer says which
	// keys had an item; the row of one that had not is NULLs.
	Get(ctx context.Context, s *Space, g *Get, out *types.Batch) ([]bool, error)
	// Put writes an item, over one that is there. It keeps nothing of the item's memory.
	Put(s *Space, item Item, g Guard) error
	// Delete removes an item. With guard Always one that is not there is not an error. With
	// guard Absent it says that there is to be none: it changes nothing, and keeps others
	// from putting one there at the same time.
	Delete(s *Space, key Key, g Guard) error
	// Commit makes the writes durable and visible together, or none of them.
	Commit(ctx context.Context) error
	// Rollback forgets the writes. After Commit it does nothing, so it may be deferred.
	Rollback()
}
