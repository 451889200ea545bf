/** A page that records the input it receives, for tests of every kind of input. */
const place = (left: number, top: number, size = '') =>
  `style="position:absolute;left:${left}px;top:${top}px;${size}"`

export const inputPage = `<!doctype html><title>Input</title>
<body style="margin:0;width:3000px;height:9000px">
<textarea id=area ${place(10, 10, 'width:300px;height:40px')}></textarea>
<input id=range type=range value=0 ${place(10, 60, 'width:300px;margin:0')}>
<div id=source draggable=true ${place(10, 110, 'width:60px;height:60px;background:#c33')}>source</div>
<div id=target ${place(300, 110, 'width:100px;height:100px;background:#33c')}>target</div>
<select id=select ${place(10, 250, 'width:100px;height:30px')}>
<option>one<option>two<option>three</select>
<button class=below ${place(10, 3000)}>0</button><button class=below ${place(10, 4000)}>1</button>
<script>
const events = [], moves = [], clicked = []
const note = ({ type, clientX, clientY, button, isTrusted }) =>
  events.push([type, [clientX, clientY], button, isTrusted].join(' '))
for (const type of ['mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'])
  addEventListener(type, note)
addEventListener('mousemove', (e) => moves.push([e.clientX, e.clientY] + ' ' + e.buttons))
addEventListener('contextmenu', (e) => e.preventDefault())
addEventListener('click', ({ target: { id, className, textContent } }) =>
  clicked.push(className ? className + ' ' + textContent : id))
source.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'source')
target.ondragover = (e) => e.preventDefault()
target.ondrop = (e) => {
  e.preventDefault()
  target.textContent = 'dropped ' + e.dataTransfer.getData('text/plain')
}
let pasted = ''
/** The page takes the next pasted text and gives it to the next copy. */
function handleClipboard() {
  const once = { once: true }
  addEventListener('paste', (e) => {
    pasted = e.clipboardData.getData('text/plain')
    e.preventDefault()
  }, once)
  addEventListener('copy', (e) => {
    e.clipboardData.setData('text/plain', pasted)
    e.preventDefault()
  }, once)
}
function add(element, id) {
  element.id = id
  element.style = 'position:absolute;left:600px;top:400px'
  document.body.append(element)
  return element
}
function addButton(id) {
  add(document.createElement('button'), id).textContent = id
}
function addFileInput(id) {
  add(document.createElement('input'), id).type = 'file'
}
</script>`
