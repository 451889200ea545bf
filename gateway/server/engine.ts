/** Chooses the server engine: uWebSockets.js if a native build loads, otherwise node:http. */
import type { Config } from '../../runtime/config/config.ts'
import { loadNative, NoNativeServer } from './uws/native.ts'

/** The libraries' names, by the values of `SERVER_ENGINE`. */
export const engineNames = { uws: 'uWebSockets.js', node: 'node:http' } as const
export type Engine = keyof typeof engineNames

/** Throws {@link NoNativeServer} if uWebSockets.js is required and no build of it loads here. */
export function chooseEngine(
  choice: Config['SERVER_ENGINE'],
  load: () => unknown = loadNative,
): Engine {
  if (choice === 'node') return 'node'
  try {
    load()
    return 'uws'
  } catch (error) {
    if (choice === 'auto' && error instanceof NoNativeServer) return 'node'
    throw error
  }
}
