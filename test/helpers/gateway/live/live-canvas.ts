/** What the canvas of a live view shows, and clicks on it. */
import type { Page } from 'playwright-core'

/** The colour that a pixel of the remote screen has on the canvas. */
export function colourAt(view: Page, x: number, y: number): Promise<readonly number[]> {
  return view.evaluate<number[]>(`{
    const pixels = document.querySelector('#stage canvas').getContext('2d')
    Array.from(pixels.getImageData(${x}, ${y}, 1, 1).data)
  }`)
}

export const isOrange = ([r = 0, g = 0, b = 0]: readonly number[]) =>
  r > 240 && Math.abs(g - 128) < 12 && b < 16

/** Clicks where that pixel of the remote screen, which is `width` pixels wide, is shown. */
export async function pressAt(view: Page, x: number, y: number, width = 800): Promise<void> {
  const box = (await view.locator('#stage canvas').boundingBox())!
  const scale = box.width / width
  await view.mouse.click(box.x + x * scale, box.y + y * scale)
}
