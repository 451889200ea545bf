/**
 * Goal: a socket that has opened stays open, whatever its memory contained before. Method: the
 * allocator fills freed memory with the one byte that the server library would take for a request
 * to close the connection (see gateway/server/uws/cork.ts); without this, it happens once in thousands
 * of times.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const program = fileURLToPath(new URL('../../../helpers/gateway/connect-often.js', import.meta.url))
/** A setting of glibc; other allocators ignore it. */
const tunables = 'glibc.malloc.perturb=16:glibc.malloc.tcache_count=0'

t.test('open sockets are closed only by their client', async (t) => {
  const env = { ...process.env, GLIBC_TUNABLES: tunables }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { env })
  const codes: number[] = JSON.parse(stdout)
  t.ok(codes.length > 0)
  t.same(new Set(codes), new Set([4000]))
  t.equal(stderr, '', 'and the library has nothing to complain of')
})
