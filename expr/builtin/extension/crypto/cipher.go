package crypto

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"strings"

	//lint:ignore SA1019 what there is was made with it
	"golang.org/x/crypto/blowfish"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

var cipherFunctions = []*expr.Function{
	{Name: "encrypt", OID: 9718, Args: pg.Sig{pg.Bytea, pg.Bytea, pg.Text}, Result: pg.Bytea, Doc: "Bytes encrypted with a key by a cipher: aes or bf, with -cbc or -ecb, and /pad:pkcs or /pad:none.", FnN: encrypt},
	{Name: "decrypt", OID: 9719, Args: pg.Sig{pg.Bytea, pg.Bytea, pg.Text}, Result: pg.Bytea, Doc: "Bytes that were encrypted with a key by a cipher.", FnN: decrypt},
	{Name: "encrypt_iv", OID: 9720, Args: pg.Sig{pg.Bytea, pg.Bytea, pg.Bytea, pg.Text}, Result: pg.Bytea, Doc: "Bytes encrypted with a key and an initial vector by a cipher.", FnN: encrypt},
	{Name: "decrypt_iv", OID: 9721, Args: pg.Sig{pg.Bytea, pg.Bytea, pg.Bytea, pg.Text}, Result: pg.Bytea, Doc: "Bytes that were encrypted with a key and an initial vector by a cipher.", FnN: decrypt},
}

// method is how bytes are encrypted.
type method struct {
	block  cipher.Block
	vector []byte
	byEach bool // block alone, as ECB does
	padded bool
}

// methodOf reads the arguments of a function: data, key, perhaps an initial vector, and the name of the cipher.
func methodOf(args []types.Value) (*method, error) {
	name, key := args[len(args)-1].Text(), args[1].Bytes()
	algorithm, options, _ := strings.Cut(strings.ToLower(name), "/")
	m := &method{padded: true}
	switch options {
	case "", "pad:pkcs":
	case "pad:none":
		m.padded = false
	default:
		return nil, cannotUse(name, "No such cipher algorithm")
	}
	algorithm, mode, _ := strings.Cut(algorithm, "-")
	if m.byEach = mode == "ecb"; mode != "" && mode != "cbc" && !m.byEach {
		return nil, cannotUse(name, "No such cipher algorithm")
	}
	var err error
	switch algorithm {
	case "aes", "rijndael":
		key = key[:min(len(key), 32)]
		size := max(16, (len(key)+7)/8*8)
		m.block, err = aes.NewCipher(append(bytes.Clone(key), make([]byte, size-len(key))...))
	case "bf", "blowfish":
		m.block, err = blowfish.NewCipher(key)
	default:
		return nil, cannotUse(name, "No such cipher algorithm")
	}
	if err != nil {
		return nil, err
	}
	m.vector = make([]byte, m.block.BlockSize())
	if len(args) == 4 {
		copy(m.vector, args[2].Bytes())
	}
	return m, nil
}

// run passes the blocks of data through a cipher, as many at a time as a statement may work on before it asks
// whether it is to end.
func (m *method) run(c *expr.Context, data []byte, chained cipher.BlockMode, each func(dst, src []byte)) error {
	const piece = 64 << 10
	size := m.block.BlockSize()
	for len(data) > 0 {
		part := data[:min(len(data), piece)]
		if err := c.Tick(len(part)); err != nil {
			return err
		}
		if m.byEach {
			for at := 0; at < len(part); at += size {
				each(part[at:at+size], part[at:at+size])
			}
		} else {
			chained.CryptBlocks(part, part)
		}
		data = data[len(part):]
	}
	return nil
}

func encrypt(c *expr.Context, args []types.Value) (types.Value, error) {
	m, err := methodOf(args)
	if err != nil {
		return types.Null, err
	}
	size := m.block.BlockSize()
	fill := 0
	if m.padded {
		fill = size - len(args[0].Bytes())%size
	}
	if err := c.Make(int64(len(args[0].Bytes()) + fill)); err != nil {
		return types.Null, err
	}
	data := append(bytes.Clone(args[0].Bytes()), bytes.Repeat([]byte{byte(fill)}, fill)...)
	if len(data)%size != 0 {
		return types.Null, failed("encrypt", "Encryption failed")
	}
	err = m.run(c, data, cipher.NewCBCEncrypter(m.block, m.vector), m.block.Encrypt)
	return types.NewBytes(data), err
}

func failed(what, why string) error {
	return sqlerr.New(sqlerr.ExternalRoutineInvocation, "%s error: %s", what, why)
}

func decrypt(c *expr.Context, args []types.Value) (types.Value, error) {
	m, err := methodOf(args)
	if err != nil {
		return types.Null, err
	}
	size, n := m.block.BlockSize(), len(args[0].Bytes())
	if n%size != 0 || n == 0 && m.padded {
		return types.Null, failed("decrypt", "Decryption failed")
	}
	if err := c.Make(int64(n)); err != nil {
		return types.Null, err
	}
	data := bytes.Clone(args[0].Bytes())
	if err := m.run(c, data, cipher.NewCBCDecrypter(m.block, m.vector), m.block.Decrypt); err != nil || !m.padded {
		return types.NewBytes(data), err
	}
	fill := int(data[n-1])
	if fill == 0 || fill > size || !bytes.Equal(data[n-fill:], bytes.Repeat([]byte{byte(fill)}, fill)) {
		return types.Null, failed("decrypt", "Decryption failed")
	}
	return types.NewBytes(data[:n-fill]), nil
}
