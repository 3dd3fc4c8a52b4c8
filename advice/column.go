package advice

import (
	"encoding/hex"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/types"
)

func isTime(t types.T) bool {
	return t.Kind() == types.KindDate || t.Kind() == types.KindTimestamp
}

func isBool(t types.T) bool { return t.Kind() == types.KindBool }

func isUUID(t types.T) bool { return t.Kind() == types.KindUUID }

func isBytes(t types.T) bool { return t.Kind() == types.KindBytes }

func isBits(t types.T) bool { return t.OID == types.OIDBit || t.OID == types.OIDVarbit }

// isText says whether a type has values of any length.
func isText(t types.T) bool {
	return t.Kind() == types.KindText || isBytes(t) || t.Kind() == types.KindBpchar
}

// What expressions take from where, by the names of functions.
var (
	clocks = []string{
		"now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday",
		"current_timestamp", "localtimestamp", "current_date",
	}
	timedUUIDs  = []string{"uuidv1", "uuidv6", "uuidv7", "uuid_generate_v1", "uuid_generate_v1mc", "uuid_generate_v6", "uuid_generate_v7"}
	randomUUIDs = []string{"gen_random_uuid", "uuidv4", "uuid_generate_v4"}
	hashes      = []string{"bit_reverse", "reverse", "md5", "sha224", "sha256", "sha384", "sha512", "hashtext", "hashtextextended", "hashint8", "hashint8extended"}
)

// fromSequence says whether a column takes its values from a sequence as they come.
func fromSequence(c *catalog.Column) bool {
	return c.Identity != catalog.NoIdentity || defaultsTo(c, []string{"nextval"})
}

// fromClock says whether a column takes the time as it comes, whatever its type.
func fromClock(c *catalog.Column) bool { return defaultsTo(c, clocks) }

func defaultsToTimedUUID(c *catalog.Column) bool { return defaultsTo(c, timedUUIDs) }

func defaultsToRandomUUID(c *catalog.Column) bool { return defaultsTo(c, randomUUIDs) }

// defaultsTo says whether the default of a column begins with what one of some functions gives,
// and not with a hash of it: the first that is named counts.
func defaultsTo(c *catalog.Column, functions []string) bool {
	for _, word := range wordsIn(c.Default) {
		if slices.Contains(functions, word) || slices.Contains(hashes, word) {
			return slices.Contains(functions, word)
		}
	}
	return false
}

// wordsIn are the words of an expression outside of texts, in lower case. What is quoted as a
// name is a word, too.
func wordsIn(text string) (words []string) {
	for i, part := range strings.Split(strings.ToLower(text), "'") {
		if i%2 == 0 { // else a text; one with a quote in it is two, with nothing between
			words = append(words, strings.FieldsFunc(part, func(c rune) bool { return c != '_' && (c < 'a' || 'z' < c) && (c < '0' || '9' < c) })...)
		}
	}
	return words
}

// timedVersion is the version of a uuid of RFC 9562 that begins with a time: 1, 6 or 7; 0 of
// other values. Of texts and bytes all that have the form of such a uuid are taken for one.
func timedVersion(v types.Value) byte {
	var u []byte
	switch v.Kind() {
	case types.KindUUID:
		id := v.UUID()
		u = id[:]
	case types.KindText, types.KindBpchar:
		u = uuidOf(strings.TrimRight(v.Text(), " "))
	case types.KindBytes:
		u = []byte(v.Text())
	}
	if len(u) != 16 || u[8]>>6 != 0b10 {
		return 0
	}
	if version := u[6] >> 4; version == 1 || version == 6 || version == 7 {
		return version
	}
	return 0
}

// uuidOf are the bytes of a uuid that is written with or without hyphens, nil of other texts.
func uuidOf(text string) []byte {
	if len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' {
		text = strings.ReplaceAll(text, "-", "")
	}
	u, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	return u
}

// maxBytes is how many bytes the type of a column lets its values have, 0 where it says nothing:
// the n of varchar(n) and char(n), as if each character was one, and of bits an eighth.
func maxBytes(t types.T) int {
	switch {
	case (t.OID == types.OIDVarchar || t.OID == types.OIDBpchar) && t.Mod >= 4:
		return int(t.Mod) - 4
	case isBits(t) && t.Mod > 0:
		return int(t.Mod+7) / 8
	}
	return 0
}

// withBytes is a type that has maxBytes with fewer of them.
func withBytes(t types.T, n int) types.T {
	if isBits(t) {
		return types.T{OID: t.OID, Mod: int32(8 * n)}
	}
	return types.T{OID: t.OID, Mod: int32(n) + 4}
}
