package pebblestore

// Measures implements store.Measured.
func (s *Store) Measures() map[string]float64 {
	if s.enter() != nil {
		return nil
	}
	defer s.leave()
	m := s.db.Metrics()
	return map[string]float64{
		"disk_bytes":            float64(m.DiskSpaceUsage()),
		"read_amplification":    float64(m.ReadAmp()),
		"tables":                float64(m.Total().TablesCount),
		"memtable_bytes":        float64(m.MemTable.Size),
		"cache_bytes":           float64(m.BlockCache.Size),
		"cache_hits":            float64(m.BlockCache.Hits),
		"cache_misses":          float64(m.BlockCache.Misses),
		"flushes":               float64(m.Flush.Count),
		"compactions":           float64(m.Compact.Count),
		"compaction_debt_bytes": float64(m.Compact.EstimatedDebt),
		"log_bytes":             float64(m.WAL.BytesWritten),
		"snapshots":             float64(m.Snapshots.Count),
	}
}
