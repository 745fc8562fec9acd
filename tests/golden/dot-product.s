vmulps      %xmm0, %xmm1, %xmm2
vhaddps     %xmm2, %xmm2, %xmm3
vhaddps     %xmm3, %xmm3, %xmm4
