/**
 * Goal: sessions share warm browsers exactly when the browsers would be alike. Method: pure
 * functions.
 */
import t from 'tap'
import { screenFor } from '../../../../node-agent/display/screen.ts'
import {
  headfulShape,
  plainShape,
  shapeKey,
  shapeOf,
  type BrowserShape,
} from '../../../../node-agent/browser/shape.ts'
import { sessionCreateBody, sessionOptions } from '../../../../proto/session/session.ts'

const shapeFor = (browser: object): BrowserShape =>
  shapeOf(sessionOptions(sessionCreateBody.parse({ browser })))
const headless = { headless: { active: true } }
const viewport = { width: 800, height: 600 }

t.test('warm browsers have the defaults that sessions ask for', async (t) => {
  t.equal(shapeKey(shapeFor({})), shapeKey(headfulShape))
  t.equal(shapeKey(shapeFor({ headless: { active: false } })), shapeKey(headfulShape))
  t.equal(shapeKey(shapeFor(headless)), shapeKey(plainShape))
})

t.test('the viewport is part of the shape with a screen, and not without one', async (t) => {
  t.equal(shapeKey(shapeFor({ ...headless, viewport })), shapeKey(plainShape))
  const keys = [
    headfulShape,
    shapeFor({ viewport }),
    shapeFor({ viewport, fullscreen: { active: true } }),
    shapeFor({ viewport, pdf_viewer: { active: false } }),
  ].map(shapeKey)
  t.equal(new Set(keys).size, keys.length)
})

t.test('a screen has room for the window frame, unless the page fills it', async (t) => {
  t.same(screenFor({ viewport, fullscreen: false }), { width: 800, height: 687 })
  t.same(screenFor({ viewport, fullscreen: true }), viewport)
})
