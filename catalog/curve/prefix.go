package curve

import (
	"slices"
	"strings"

	keypart "zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/types"
)

// A prefix that at least nearlyAll of the sampled texts begin with may be left out; it is no longer than maxPrefix
// bytes.
const (
	nearlyAll = 0.95
	maxPrefix = 256
)

// commonPrefix is what texts are to be stripped of before they are coded, because nearly all begin with it and what
// follows tells more of them apart; nil where nothing is. Those that do not begin with it share a code at either end,
// which counts against it. Of prefixes that are as good the shortest has most room for texts that are still to come.
func commonPrefix(sample []types.Value, t types.T) []byte {
	if len(sample) == 0 || keypart.EncodedBits(t) > 0 {
		return nil
	}
	texts := make([]string, len(sample))
	for i, v := range sample {
		texts[i] = keys.PlainText(v)
	}
	slices.SortFunc(texts, strings.Compare)
	middle := texts[len(texts)/2] // it begins with every prefix of more than half of them
	var best []byte
	most := distinctCodes(texts, 0)
	for n := 1; n <= min(len(middle), maxPrefix); n++ {
		with := beginningWith(texts, middle[:n])
		if float64(len(with)) < nearlyAll*float64(len(texts)) {
			break
		}
		codes := distinctCodes(with, n)
		if len(with) < len(texts) {
			codes++
		}
		if codes > most {
			best, most = []byte(middle[:n]), codes
		}
	}
	return best
}

// beginningWith are the texts of a sorted list that begin with a prefix.
func beginningWith(texts []string, prefix string) []string {
	from, _ := slices.BinarySearchFunc(texts, prefix, strings.Compare)
	n, _ := slices.BinarySearchFunc(texts[from:], true, func(text string, _ bool) int {
		if strings.HasPrefix(text, prefix) {
			return -1
		}
		return 1
	})
	return texts[from : from+n]
}

// distinctCodes is how many codes sorted texts have behind their first n bytes.
func distinctCodes(texts []string, n int) int {
	var last uint64
	count := 0
	for _, text := range texts {
		if code := keys.First64(text[n:]); count == 0 || code != last {
			last = code
			count++
		}
	}
	return count
}
