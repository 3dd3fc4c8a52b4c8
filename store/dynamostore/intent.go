package dynamostore

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"maps"
	"time"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An intent is what an item becomes if a transaction commits that takes more than one request. It is in the
// item, beside the attributes of the present state, and the record of the transaction decides which of the two
// counts (Peng and Dabek 2010). An item with an intent is written by no other transaction before the intent is
// resolved. Where there was no item, there is one of a key and an intent.

// The attributes of an intent.
const (
	intentAttribute  = "_i" // the intent
	beneathAttribute = "_o" // the version of the present state, 0 where there is no item
	expiryBeneath    = "_x" // when the present state expires: nothing removes an item with an intent
)

// intentRoom is what the limit of a row leaves for an intent whose state is not in the item.
const intentRoom = 256

// txnID names a transaction: random bytes, and the time at which its commit began.
type txnID [16]byte

func newTxnID(now time.Time) (id txnID) {
	_, _ = rand.Read(id[:8]) // it never fails
	binary.BigEndian.PutUint64(id[8:], uint64(now.UnixNano()))
	return id
}

// began is when the commit began, by the clock of its owner.
func (id txnID) began() time.Time { return time.Unix(0, int64(binary.BigEndian.Uint64(id[8:]))) }

// before says whether a transaction goes first where each waits for the other: the one that began first. Clocks that
// differ make this unfair, and nothing else.
func (id txnID) before(other txnID) bool {
	return cmp.Or(cmp.Compare(string(id[8:]), string(other[8:])), cmp.Compare(string(id[:8]), string(other[:8]))) < 0
}

// intentID names the attempt of a transaction that made an intent. Each is sent once, so that one which arrives
// late is not taken for another.
type intentID struct {
	txn     txnID
	attempt uint32
}

func (id intentID) value() *ddb.AttributeValueMemberB {
	return &ddb.AttributeValueMemberB{Value: binary.BigEndian.AppendUint32(id.txn[:], id.attempt)}
}

// intent is the attribute. It has one of put and part for an item that is to be, touch for one of which only the
// version changes, and none of them for one that is to go.
type intent struct {
	id    intentID
	put   item               // the attributes without the key
	part  uint32             // which part of the record has them instead
	touch ddb.AttributeValue // the new version
	// expiry is the attribute by which DynamoDB removes the item, if it does: it is put aside for the intent.
	expiry string
}

// The members of the attribute.
const (
	intentOwner  = "t"
	intentPut    = "n"
	intentPart   = "p"
	intentTouch  = "v"
	intentExpiry = "e"
)

func (in *intent) encode() ddb.AttributeValue {
	m := item{intentOwner: in.id.value()}
	switch {
	case in.part != 0:
		m[intentPart] = encodeVersion(int64(in.part))
	case in.put != nil:
		m[intentPut] = &ddb.AttributeValueMemberM{Value: in.put}
	case in.touch != nil:
		m[intentTouch] = in.touch
	}
	if in.expiry != "" {
		m[intentExpiry] = &ddb.AttributeValueMemberS{Value: in.expiry}
	}
	return &ddb.AttributeValueMemberM{Value: m}
}

var errIntent = errors.New("an attribute of an intent is not what was written")

// intentOf is the intent of an item; nil: it has none.
func intentOf(of item) (*intent, error) {
	attribute, has := of[intentAttribute]
	if _, over := of[beneathAttribute]; has != over {
		return nil, errIntent
	}
	if !has {
		return nil, nil
	}
	m, _ := attribute.(*ddb.AttributeValueMemberM)
	if m == nil {
		return nil, errIntent
	}
	owner, _ := m.Value[intentOwner].(*ddb.AttributeValueMemberB)
	if owner == nil || len(owner.Value) != len(txnID{})+4 {
		return nil, errIntent
	}
	in := &intent{touch: m.Value[intentTouch]}
	in.id.attempt = binary.BigEndian.Uint32(owner.Value[copy(in.id.txn[:], owner.Value):])
	if put, is := m.Value[intentPut].(*ddb.AttributeValueMemberM); is {
		in.put = put.Value
	}
	if name, is := m.Value[intentExpiry].(*ddb.AttributeValueMemberS); is {
		in.expiry = name.Value
	}
	if part, is := m.Value[intentPart]; is {
		n, err := decodeInt(part)
		if err != nil || n < 1 || n > maxParts {
			return nil, errIntent
		}
		in.part = uint32(n)
	}
	return in, nil
}

// present makes an item what it is without its intent; nil: there is none.
func present(of item) (item, error) {
	version, err := decodeInt(of[beneathAttribute])
	if err != nil {
		return nil, errIntent
	}
	delete(of, intentAttribute)
	delete(of, beneathAttribute)
	delete(of, expiryBeneath)
	if version == 0 {
		return nil, nil
	}
	return of, nil
}

// future makes an item what it becomes by its intent, of which the part is read; nil: it goes.
func (in *intent) future(of item) (item, error) {
	switch {
	case in.touch != nil:
		of, err := present(of)
		if of != nil {
			of[versionAttribute] = in.touch
		}
		return of, err
	case in.put == nil:
		return nil, nil
	}
	out := keyOf(of)
	maps.Copy(out, in.put)
	return out, nil
}

// keyOf is the key of an item.
func keyOf(of item) item {
	key := item{partitionAttribute: of[partitionAttribute]}
	if sort, is := of[sortAttribute]; is {
		key[sortAttribute] = sort
	}
	return key
}

// withoutKey are the attributes of an item that are not its key.
func withoutKey(of item) item {
	out := maps.Clone(of)
	delete(out, partitionAttribute)
	delete(out, sortAttribute)
	return out
}
