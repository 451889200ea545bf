/** A site for loads: a page of many small pictures, and one large answer. */
import { createServer, type RequestListener } from 'node:http'
import { MiB } from '../../../proto/units.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'

export const resources = 100
export const largeMiB = 100

export interface ResourceSite {
  /** The page of {@link resources} pictures. */
  readonly url: string
  close(): Promise<unknown>
}

export async function serveResources(): Promise<ResourceSite> {
  const site = createServer(answer)
  const url = `http://127.0.0.1:${await listenOnLoopback(site)}/`
  return { url, close: () => closeServer(site) }
}

/** To be evaluated in the page: loads it once more, in a frame. */
export const loadAgain = `new Promise((resolve) => {
  const frame = document.createElement('iframe')
  frame.onload = () => {
    frame.remove()
    resolve()
  }
  frame.src = '/'
  document.body.append(frame)
})`

/** To be evaluated in the page: reads the large answer to its end. */
export const readLarge = `(async () => {
  const reader = (await fetch('/large')).body.getReader()
  while (!(await reader.read()).done);
})()`

const large = Buffer.alloc(largeMiB * MiB, 'a')

/** Not cacheable, so that each load asks for all of them. */
const answer: RequestListener = ({ url }, response) => {
  response.setHeader('cache-control', 'no-store')
  if (url === '/large') {
    response.setHeader('content-type', 'application/octet-stream').end(large)
  } else if (url === '/') {
    const pictures = Array.from({ length: resources }, (_, n) => `<img src="/${n}.svg">`)
    response.setHeader('content-type', 'text/html').end(`<!doctype html>${pictures.join('')}`)
  } else {
    response.setHeader('content-type', 'image/svg+xml').end(picture)
  }
}
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'
