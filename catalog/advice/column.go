package advice

import (
	"encoding/hex"
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

// source is where a column takes its values from, by its default.
type source uint8

const (
	elsewhere source = iota
	clock
	sequence
	timedUUID  // which begins with the time at which it was made
	randomUUID // all of whose bits but a few are by chance
	hash       // or whatever else is even
)

// functions are where what begins with a function's value comes from.
var functions = map[string]source{
	"now": clock, "clock_timestamp": clock, "statement_timestamp": clock, "transaction_timestamp": clock, "timeofday": clock,
	"current_timestamp": clock, "localtimestamp": clock, "current_date": clock,
	"nextval": sequence,
	"uuidv1":  timedUUID, "uuidv6": timedUUID, "uuidv7": timedUUID,
	"uuid_generate_v1": timedUUID, "uuid_generate_v1mc": timedUUID, "uuid_generate_v6": timedUUID, "uuid_generate_v7": timedUUID,
	"gen_random_uuid": randomUUID, "uuidv4": randomUUID, "uuid_generate_v4": randomUUID,
	"bit_reverse": hash, "reverse": hash, "md5": hash, "sha224": hash, "sha256": hash, "sha384": hash, "sha512": hash, "random": hash,
	"hashtext": hash, "hashtextextended": hash, "hashint8": hash, "hashint8extended": hash, "gen_random_bytes": hash,
}

// sourceOf is the source of a column: of the functions in its default the first that is known counts.
func sourceOf(c *catalog.Column) source {
	if c.Identity != catalog.NoIdentity {
		return sequence
	}
	for _, word := range wordsIn(c.Default) {
		if from := functions[word]; from != elsewhere {
			return from
		}
	}
	return elsewhere
}

// wordsIn are the words of an expression outside of texts, in lower case. What is quoted as a
// name is a word, too.
func wordsIn(text string) (words []string) {
	for i, part := range strings.Split(strings.ToLower(text), "'") {
		if i%2 == 0 { // else a text; one with a quote in it is two, with nothing between
			words = append(words, strings.FieldsFunc(part,
				func(c rune) bool { return c != '_' && (c < 'a' || 'z' < c) && (c < '0' || '9' < c) })...)
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
	case t.OID == types.OIDVarchar || t.OID == types.OIDBpchar:
		return max(int(t.Mod)-4, 0)
	case isBits(t):
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
