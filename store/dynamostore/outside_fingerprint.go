package dynamostore

import (
	"hash/maphash"
	"maps"
	"slices"
	"strconv"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// fingerprintOf tells the states of an item apart. It is never that of no item.
func fingerprintOf(attributes item) int64 {
	var h maphash.Hash
	h.SetSeed(seeds[0])
	writeMap(&h, attributes)
	return max(int64(h.Sum64()>>1), 1)
}

// writeMap writes attributes in the order of their names.
func writeMap(h *maphash.Hash, attributes item) {
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		writeText(h, 'K', name)
		writeAttribute(h, attributes[name])
	}
	h.WriteByte('E')
}

func writeAttribute(h *maphash.Hash, a ddb.AttributeValue) {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberM:
		h.WriteByte('M')
		writeMap(h, a.Value)
	case *ddb.AttributeValueMemberL:
		h.WriteByte('L')
		for _, e := range a.Value {
			writeAttribute(h, e)
		}
		h.WriteByte('E')
	case *ddb.AttributeValueMemberSS:
		writeTexts(h, 's', a.Value)
	case *ddb.AttributeValueMemberNS:
		writeTexts(h, 'n', a.Value)
	case *ddb.AttributeValueMemberBS:
		texts := make([]string, len(a.Value))
		for i, b := range a.Value {
			texts[i] = string(b)
		}
		writeTexts(h, 'b', texts)
	case *ddb.AttributeValueMemberS:
		writeText(h, 'S', a.Value)
	case *ddb.AttributeValueMemberN:
		writeText(h, 'N', a.Value)
	case *ddb.AttributeValueMemberB:
		writeText(h, 'B', string(a.Value))
	case *ddb.AttributeValueMemberBOOL:
		writeText(h, 'T', strconv.FormatBool(a.Value))
	default:
		h.WriteByte('0')
	}
}

func writeTexts(h *maphash.Hash, kind byte, texts []string) {
	h.WriteByte(kind)
	for _, text := range slices.Sorted(slices.Values(texts)) {
		writeText(h, 'X', text)
	}
	h.WriteByte('E')
}

func writeText(h *maphash.Hash, kind byte, text string) {
	h.WriteByte(kind)
	h.WriteString(strconv.Itoa(len(text)))
	h.WriteByte(':')
	h.WriteString(text)
}
