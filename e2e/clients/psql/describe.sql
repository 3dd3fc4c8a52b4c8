-- Every command of psql that looks at the catalogs, plain and with +.
\set QUIET on
\pset format unaligned
\pset footer off
\conninfo
\d
\d+
\d customers
\d+ customers
\d orders
\d+ orders
\d kinds
\d+ kinds
\d "Odd Names"
\d+ "Odd Names"
\d without_key
\d+ without_key
\d large_orders
\d+ large_orders
\d invoices
\d+ invoices
\d orders_number_seq
\d+ orders_number_seq
\d customers_id_seq
\d orders_placed
\d+ orders_placed
\d orders_number
\d orders_pkey
\d+ customers_email_key
\d archive.*
\d+ archive.orders
\d archive.orders_pkey
\d nothing
\dt
\dt+
\dt archive.*
\dt+ *.orders
\dt order*
\dt "Odd Names"
\dt "Odd*"
\dt nothing
\dt postgres_other.public.orders
\di
\di+
\di archive.*
\dv
\dv+
\ds
\ds+
\dm
\dE
\dtv
\dtvs+
\dn
\dn+
\dn archive
\dn+ archive
\df
\df+
\dfn
\da
\dT
\dT+
\dD
\dD+
\do
\dO
\dc
\dC nothing
\dd
\dp
\dp customers
\z
\z archive.*
\ddp
\drds
\du
\du+
\dg
\dx
\dx+
\dX
\dy
\db
\db+
\dl
\dL
\dL+
\dA
\dA+
\dA btree
\dAc btree int4
\dAf btree int4
\dAo zorder
\dAp zorder
\dP
\dP+
\dPt
\dRp
\dRp+
\dRs
\dRs+
\des
\det
\deu
\dew
\dF nothing
\dFd nothing
\dFp nothing
\dFt nothing
\dconfig search_path
\dconfig+ search_path
\dconfig standard*
\l
\l+
\sv large_orders
\sv+ large_orders
\sf nothing
