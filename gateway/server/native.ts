/**
 * The native half of uWebSockets.js. Its unofficial build falls back to plain JavaScript where
 * no binary fits, and that one hangs on WebSockets; so the binary is loaded here by its own
 * path, and nothing starts without it.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { limits } from '../../proto/limits.ts'

export class NoNativeServer extends Error {
  constructor(cause?: unknown) {
    super(
      `No native uWebSockets.js fits Node ${process.versions.node} on ${process.platform}-${process.arch}: use Node 20, or on ` +
        'Node 22 or 24 (glibc 2.38 or newer) run: npm install uWebSockets.js@uNetworking/uWebSockets.js#v20.52.0',
      { cause },
    )
    this.name = 'NoNativeServer'
  }
}

export function loadNative(modulesVersion: string = process.versions.modules): unknown {
  // Read once, when the binary is loaded: its default refuses headers over 4 KiB.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(limits.headerBytes)
  const require = createRequire(import.meta.url)
  const name = `uws_${process.platform}_${process.arch}_${modulesVersion}.node`
  const entry = dirname(require.resolve('uWebSockets.js'))
  const found = [join(entry, name), join(entry, '../binaries', name)].find(existsSync)
  if (found === undefined) throw new NoNativeServer()
  try {
    return require(found)
  } catch (error) {
    throw new NoNativeServer(error)
  }
}
