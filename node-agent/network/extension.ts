import { join } from 'node:path'
import { packageRoot } from '../../runtime/lib/package.ts'

/**
 * The folder of the extension that routes a restricted browser through its filter; the browser
 * loads it from there.
 */
export const networkExtension = join(packageRoot, 'node-agent', 'network', 'extension')
