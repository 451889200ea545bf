/** Puts files into a page's file inputs. */
import { ServiceError } from '../../proto/errors.ts'
import type { CdpPipe } from '../browser/cdp.ts'
import { listPages } from '../browser/page.ts'
import type { Attach } from './session-files.ts'

/** Of the page that the browser names first, which is the one that was used last. */
export function attacher(cdp: CdpPipe): Attach {
  return async (path, selector, index) => {
    const [page] = await listPages(cdp)
    if (!page) throw new ServiceError('conflict', 'The session has no page open.')
    const { sessionId } = await cdp.send<{ sessionId: string }>('Target.attachToTarget', {
      targetId: page.id,
      flatten: true,
    })
    try {
      const nodeId = await findInput(cdp, sessionId, selector, index)
      const given = { nodeId, files: [path] }
      await cdp.send('DOM.setFileInputFiles', given, { sessionId }).catch((cause: unknown) => {
        throw new ServiceError('bad_request', 'selector names no file input.', {}, cause)
      })
    } finally {
      await cdp.send('Target.detachFromTarget', { sessionId })
    }
  }
}

async function findInput(cdp: CdpPipe, sessionId: string, selector: string, index: number) {
  const at = { sessionId }
  const { root } = await cdp.send<{ root: { nodeId: number } }>('DOM.getDocument', {}, at)
  const { nodeIds } = await cdp
    .send<{ nodeIds: number[] }>('DOM.querySelectorAll', { nodeId: root.nodeId, selector }, at)
    .catch((cause: unknown) => {
      throw new ServiceError('bad_request', 'selector is not a CSS selector.', {}, cause)
    })
  const nodeId = nodeIds[index]
  if (nodeId === undefined) {
    throw new ServiceError('bad_request', `selector matches nothing at index ${index}.`)
  }
  return nodeId
}
