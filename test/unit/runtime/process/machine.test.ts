// Goal: a folder or a port that cannot be used is found within a limited time, with the reason.
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { makePrivateFolder } from '../../../../runtime/lib/files/make-folder.ts'
import { folderProblem } from '../../../../runtime/process/machine/folder-probe.ts'
import { listenError, portHolder } from '../../../../runtime/process/machine/port.ts'

t.test('a folder that can be created is no problem, and is not created', async (t) => {
  const dir = t.testdir()
  t.equal(await folderProblem(join(dir, 'a', 'b')), undefined)
  t.same(readdirSync(dir), [])
})

t.test('a folder below /proc, or below a file, is refused with the reason', async (t) => {
  const file = join(t.testdir(), 'file')
  writeFileSync(file, '')
  t.type(await folderProblem('/proc/x'), 'string')
  t.match(await folderProblem(join(file, 'below')), /Not a directory/)
})

t.test('a folder is created with those above it, and an impossible one ends', async (t) => {
  const dir = join(t.testdir(), 'a', 'b')
  makePrivateFolder(dir)
  makePrivateFolder(dir)
  t.same(readdirSync(dir), [])
  t.throws(() => makePrivateFolder('/proc/x/y'), { code: 'ENOENT' })
})

t.test('the process that listens on a port is found with its command line', async (t) => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.match(await listenError('127.0.0.1', port), { code: 'EADDRINUSE' })
  const holder = portHolder(port)
  t.equal(holder?.pid, process.pid)
  t.match(holder?.command, 'machine.test')
  server.close()
  await once(server, 'close')
  t.equal(await listenError('127.0.0.1', port), undefined)
  t.equal(portHolder(port), undefined)
})
