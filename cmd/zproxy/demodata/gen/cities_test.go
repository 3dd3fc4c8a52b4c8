package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"testing"
)

func appendNumber(message []byte, field, value uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(message, field<<3), value)
}

func appendText(message []byte, field uint64, text string) []byte {
	message = binary.AppendUvarint(message, field<<3|2)
	return append(binary.AppendUvarint(message, uint64(len(text))), text...)
}

func encode(p city, lon, lat int64) []byte {
	zigzag := func(n int64) uint64 { return uint64(n<<1 ^ n>>63) }
	m := appendNumber(nil, fieldID, zigzag(p.id))
	m = appendText(m, fieldName, p.name)
	m = appendText(m, fieldCountry, p.country)
	m = appendText(m, 4, "skipped")
	m = appendText(m, fieldFeature, p.feature)
	m = appendText(m, fieldAdmin1, p.admin1)
	if p.population > 0 {
		m = appendNumber(m, fieldPopulation, uint64(p.population))
	}
	m = appendNumber(m, fieldLon, zigzag(p.lon-lon))
	m = appendNumber(m, fieldLat, zigzag(p.lat-lat))
	return append(binary.AppendUvarint(nil, uint64(len(m))), m...)
}

func TestDecodeAndWrite(t *testing.T) {
	first := city{id: 9, name: `The "Place", old`, country: "DE", admin1: "01", feature: "PPL", lon: 1336000, lat: -5}
	second := city{
		id: 7, name: "Sant Julià", country: "AD", feature: "PPLC", population: 8022, lon: -17912198, lat: 7822334,
	}
	data := append(encode(first, 0, 0), encode(second, first.lon, first.lat)...)
	cities, err := decodeCities(data)
	if err != nil {
		t.Fatal(err)
	}
	var compressed bytes.Buffer
	if err := writeCSV(&compressed, cities); err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(&compressed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	want := `id,name,country,admin1,feature,population,lon,lat
7,Sant Julià,AD,,PPLC,8022,-179.12198,78.22334
9,"The ""Place"", old",DE,01,PPL,0,13.36,-0.00005
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for n := 1; n < len(encode(first, 0, 0)); n++ {
		if _, err := decodeCities(data[:n]); err == nil {
			t.Errorf("no error for a message cut to %d bytes", n)
		}
	}
}
