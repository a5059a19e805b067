TITLE=""
def measure(o): return [[]],[],[]
