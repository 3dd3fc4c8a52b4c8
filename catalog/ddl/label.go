package ddl

import (
	"context"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/sqlerr"
)

// The keys of the labels of an enum are fractions, by their digits behind the point, without zeros at the end. Between
// any two of them there is room for more, so that a label keeps its key, and no row is written anew, whatever labels
// come.
const keyDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// keysOf are the keys of the first labels of an enum, all of about one length.
func keysOf(n int) []string {
	width, room := 1, len(keyDigits)
	for room <= n {
		width, room = width+1, room*len(keyDigits)
	}
	out := make([]string, n)
	for i := range out {
		key, rest := make([]byte, width), (i+1)*(room/(n+1))
		for at := width - 1; at >= 0; at-- {
			key[at], rest = keyDigits[rest%len(keyDigits)], rest/len(keyDigits)
		}
		out[i] = strings.TrimRight(string(key), keyDigits[:1])
	}
	return out
}

// keyBetween is a key between two others. Empty ones stand for those before and behind all.
func keyBetween(low, high string) string {
	digit := func(key string, at, none int) int {
		if at < len(key) {
			return strings.IndexByte(keyDigits, key[at])
		}
		return none
	}
	var out []byte
	bounded := high != ""
	for at := 0; ; at++ {
		l, h := digit(low, at, 0), len(keyDigits)
		if bounded {
			h = digit(high, at, len(keyDigits))
		}
		mid := (l + h) / 2
		switch { // labels that are added at an end lie close to each other
		case high == "":
			mid = min(l+1, len(keyDigits)-1)
		case low == "":
			mid = h - 1
		}
		if mid > l {
			return string(append(out, keyDigits[mid]))
		}
		out = append(out, keyDigits[l])
		bounded = bounded && l == h
	}
}

// mostLabel is how long a label may be, in bytes.
const mostLabel = 63

func checkLabel(text string) error {
	if len(text) > mostLabel {
		return sqlerr.New(sqlerr.InvalidName, "invalid enum label \"%s\"", text).
			WithDetail("Labels must be %d bytes or less.", mostLabel)
	}
	return nil
}

// labels makes the labels of a new enum.
func (d userTypes) labels(ctx context.Context, texts []string) ([]catalog.Label, error) {
	out, keys := make([]catalog.Label, len(texts)), keysOf(len(texts))
	next := d.NextID(ctx)
	for i, text := range texts {
		if err := checkLabel(text); err != nil {
			return nil, err
		}
		id, err := next()
		if err != nil {
			return nil, err
		}
		out[i] = catalog.Label{ID: uint32(id), Text: text, Key: keys[i], At: float32(i + 1)}
	}
	return out, nil
}

// withLabel is labels with one more at an ordinal.
func withLabel(labels []catalog.Label, at int, text string, id uint32) []catalog.Label {
	one := catalog.Label{ID: id, Text: text, At: 1}
	low, high := "", ""
	switch first, last := at == 0, at == len(labels); {
	case first && last:
	case first:
		high, one.At = labels[0].Key, labels[0].At-1
	case last:
		low, one.At = labels[at-1].Key, labels[at-1].At+1
	default:
		low, high = labels[at-1].Key, labels[at].Key
		one.At = (labels[at-1].At + labels[at].At) / 2
	}
	one.Key = keyBetween(low, high)
	out := slices.Insert(slices.Clone(labels), at, one)
	if at > 0 && at < len(labels) && (one.At == out[at-1].At || one.At == out[at+1].At) {
		for i := range out { // there is no number between them
			out[i].At = float32(i + 1)
		}
	}
	return out
}
