/**
 * Loads the native part of uWebSockets.js. Without a fitting binary the unofficial build falls back
 * to plain JavaScript, which hangs on WebSockets, so the binary is loaded here by its own path. The
 * official package has its binaries beside its entry, the unofficial one in a folder, and a user
 * may have installed either; the first with a binary for this Node is used.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Library } from './library.ts'
import { serverLimits } from '../limits.ts'

const packageName = 'uWebSockets.js'

export class NoNativeServer extends Error {
  constructor(cause?: unknown) {
    super(
      `No native uWebSockets.js fits Node ${process.versions.node} on ${process.platform}-${process.arch}: ` +
        'unset SERVER_ENGINE to serve with node:http, use Node 20, or on Node 22 or newer (glibc 2.38 or newer) ' +
        'run: npm install --no-save uWebSockets.js@uNetworking/uWebSockets.js#v20.52.0',
      { cause },
    )
    this.name = 'NoNativeServer'
  }
}

/**
 * Searches the folders from `module` upwards for a package with a binary. Throws {@link
 * NoNativeServer}.
 */
export function loadNative(module: string = import.meta.url): Library {
  // The library reads this once, when it is loaded; its default refuses headers over 4 KiB.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(serverLimits.headerBytes)
  const require = createRequire(module)
  const { platform, arch, versions } = process
  const name = `uws_${platform}_${arch}_${versions.modules}.node`
  const builds = (require.resolve.paths(packageName) ?? [])
    .map((folder) => join(folder, packageName))
    .flatMap((folder) => [join(folder, name), join(folder, 'binaries', name)])
    .filter((file) => existsSync(file))
  let cause: unknown
  for (const build of builds) {
    try {
      return require(build)
    } catch (error) {
      cause = error // For example built for a newer C library; another build may work.
    }
  }
  throw new NoNativeServer(cause)
}
