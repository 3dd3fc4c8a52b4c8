package keys

import "zproxy/encoding/ordered"

// Leading is how many bytes of a key the first parts of the layout make. The key has the bytes that the bounds of a
// range are made of: whole, or what is behind the partition. Of a key that cannot be read it is all.
func (c *Codec) Leading(key []byte, parts int, whole bool) int {
	from := len(c.partition)
	if whole {
		from = 0
	}
	at := 0
	for i := from; i < parts; i++ {
		n, err := ordered.Len(key[at:], c.parts[i].Desc)
		if err != nil {
			return len(key)
		}
		at += n
	}
	return at
}
