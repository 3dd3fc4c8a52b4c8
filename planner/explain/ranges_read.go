package explain

import (
	"bytes"
	"fmt"
	"slices"

	"zproxy/encoding/keys"
	"zproxy/planner/plan"
)

// shownReads is how many of the ranges that a scan read are printed as text; other forms have them all.
const shownReads = 10

// rangesRead shows the ranges of keys that a scan read between its seeks, in key order, with how many keys of each
// it examined and how many of them were wanted. There is nothing to show of a single range, or if all keys were wanted.
func rangesRead(s plan.Scan, p *plan.NodeProfile) []property {
	codec, err := keys.NewCodec(s.Table, s.Layout())
	if err != nil || len(p.Reads) < 2 || !slices.ContainsFunc(p.Reads, (*plan.RangeRead).Wasteful) {
		return nil
	}
	reads := slices.Clone(p.Reads)
	slices.SortStableFunc(reads, func(a, b *plan.RangeRead) int { return bytes.Compare(a.From, b.From) })
	shown := make([]string, len(reads))
	for i, r := range reads {
		shown[i] = codec.FormatKey(r.From)
		if !bytes.Equal(r.From, r.To) {
			shown[i] += " - " + codec.FormatKey(r.To)
		}
		shown[i] += ": " + readText(r)
	}
	out := repeated("Range Read", shown)
	if len(reads) > shownReads {
		out.lines = append(out.lines[:shownReads], fmt.Sprintf("Range Read: ... %d more: %s", len(reads)-shownReads,
			readText(reads[shownReads:]...)))
	}
	return []property{out}
}

// readText shows the sums of ranges.
func readText(reads ...*plan.RangeRead) string {
	var examined, wanted int64
	for _, r := range reads {
		examined, wanted = examined+r.Examined, wanted+r.Wanted
	}
	return fmt.Sprintf("%s examined, %d wanted", count(float64(examined), "key"), wanted)
}
